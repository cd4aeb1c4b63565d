#!/usr/bin/env bash
# Every command of tfx --help in every surroundings: each width from 1 to 300 columns, locales that are there and that
# are not, zones, terminals, a terminal of its own; and text in any of them that would drive a terminal.
#   tests/extended/surroundings.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
make_samples
evil=$'\e[31mred\e]0;title\a\x7f\xc2\x9b2J\xe2\x80\xaeback\xe2\x81\xa6\xe2\x80\xa8' # as in tests/cli/terminals.sh

commands=()
for command in $(commands_of_help); do
  if arguments=$(sample_of "$command"); then
    commands+=("$command${arguments:+ $arguments}")
  else
    not_ok "tfx $command" "tests/cli/samples.sh has no arguments for it"
  fi
done

# --- widths ----------------------------------------------------------------------------------------------------------

# too_wide <SCREENS: the lines that are wider than the number that stands before each, as tests/cli/terminals.sh does it.
too_wide() {
  LC_ALL=C awk -F'\t' '{
    text = substr($0, length($1) + 2)
    gsub(/[\302-\337][\200-\277]|[\340-\342][\200-\277][\200-\277]/, "1", text)
    gsub(/[\343-\355\357][\200-\277][\200-\277]/, "22", text)
    gsub(/\360[\200-\277][\200-\277][\200-\277]/, "22", text)
    if (length(text) > $1 && text !~ /^ *np\./) print $0 # a line of NumPy is there to be copied
  }'
}
screens=0
for command in "${commands[@]}" ""; do
  read -ra arguments <<<"$command"
  step=1
  if [[ $command == bench* || $command == verify* || $command == report* ]]; then step=37; fi # they take their time
  before=$failed
  : >"$work/screens"
  for ((width = 1; width <= 300; width += step)); do
    language=en
    if ((width % 2)); then language=zh; fi
    status=0
    COLUMNS=$width "$tfx" "${arguments[@]}" --lang $language >"$work/out" 2>"$work/err" </dev/null || status=$?
    screens=$((screens + 1))
    if ((status > 1)); then not_ok "tfx $command, COLUMNS=$width" "status $status: $(first_lines "$work/err")"; fi
    # A terminal counts as at least 20 wide; a matrix needs 40 for its first and last column with their headings.
    # Code is shown as it stands.
    if ((width >= 40)) && [[ $command != code* ]]; then sed "s/^/$width\t/" "$work/out" >>"$work/screens"; fi
  done
  wide=$(too_wide <"$work/screens" | head -n 1)
  if [[ -n $wide ]]; then not_ok "tfx $command" "wider than its terminal: $wide"; fi
  check "tfx $command at every width" test $failed = "$before"
done
count "screens at widths 1 to 300" $screens

# --- locales, zones, terminals: JSON is the same in all -----------------------------------------------------------------

export LOCPATH=$work/locales
mkdir "$LOCPATH"
made=no
if command -v localedef >/dev/null && localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" 2>/dev/null &&
  localedef -i zh_CN -f UTF-8 "$LOCPATH/zh_CN.UTF-8" 2>/dev/null; then
  made=yes
  localedef -i de_DE -f ISO-8859-1 "$LOCPATH/de_DE.ISO-8859-1" 2>/dev/null
else
  echo "skipped: the locales de_DE and zh_CN could not be made here; they are tested as missing"
fi
surroundings=("LC_ALL=C" "LC_ALL=POSIX" "LC_ALL=C.UTF-8" "LC_ALL=de_DE.UTF-8" "LC_ALL=de_DE.ISO-8859-1" "LC_ALL=zh_CN.UTF-8"
  "LC_ALL=nowhere.UTF-8" "LC_NUMERIC=de_DE.UTF-8 LC_ALL=" "LANG=zh_CN.UTF-8 LC_ALL=" "COLUMNS=20" "COLUMNS=300" "COLUMNS=-1"
  "TERM=dumb" "TERM=xterm-256color" "TERM=" "NO_COLOR=1" "COLORTERM=truecolor" "TZ=Asia/Shanghai" "TZ=$evil" "HOME=" "HOME=/nowhere"
  "XDG_STATE_HOME=/nowhere" "LANGUAGE=zh")
compared=0
for command in "${commands[@]}"; do
  read -ra arguments <<<"$command"
  if ! options_of "${arguments[0]}" | grep -qx -- --json; then continue; fi
  arguments=("${arguments[@]/--quiet/--json}" --no-time)
  if [[ " ${arguments[*]} " != *" --json "* ]]; then arguments+=(--json); fi
  env -u LOCPATH "$tfx" "${arguments[@]}" --lang en >"$work/reference" 2>/dev/null </dev/null
  # What a machine has free or how fast it is changes between two runs; then nothing can be compared.
  "$tfx" "${arguments[@]}" --lang en >"$work/out" 2>/dev/null </dev/null
  if ! cmp -s "$work/reference" "$work/out"; then
    if [[ $command == doctor* ]]; then continue; fi
    not_ok "tfx ${arguments[*]}" "two runs differ"
    continue
  fi
  same=yes
  for variables in "${surroundings[@]}" "LOCPATH=/nowhere LC_ALL=de_DE.UTF-8"; do
    read -ra words <<<"$variables"
    env "${words[@]}" "$tfx" "${arguments[@]}" --lang en >"$work/out" 2>/dev/null </dev/null
    compared=$((compared + 1))
    if ! cmp -s "$work/reference" "$work/out"; then
      same=no
      not_ok "tfx ${arguments[*]}" "other bytes with $(LC_ALL=C tr -c '[:print:]\n' '?' <<<"$variables")"
    fi
  done
  check "tfx ${arguments[*]} is the same everywhere" test $same = yes
done
count "JSON outputs compared over locales, zones and terminals" $compared
echo "locales made for it: $made"

# The screen in a locale with a decimal comma still has points.
LC_ALL=de_DE.UTF-8 "$tfx" attention --no-time >"$work/out"
LC_ALL=C.UTF-8 "$tfx" attention --no-time >"$work/reference"
check "de_DE writes decimal points" cmp -s "$work/out" "$work/reference"

# --- terminals -------------------------------------------------------------------------------------------------------

if command -v script >/dev/null; then
  for command in "${commands[@]}"; do
    if [[ $command == bench* || $command == verify* ]]; then continue; fi
    for terminal in dumb xterm xterm-256color linux; do
      TERM=$terminal COLORTERM="" script -qec "stty cols 57 rows 11; env -u COLUMNS $tfx $command" /dev/null >"$work/out" 2>"$work/err" </dev/null
      status=$?
      colors=$(LC_ALL=C sed $'s/\e\\[[0-9;]*m//g; s/\e\\[K//g; s/\r//g' "$work/out" | LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f\x7f]')
      if ((status > 1)); then not_ok "tfx $command in $terminal" "status $status: $(first_lines "$work/out")"; fi
      if ((colors > 0)); then not_ok "tfx $command in $terminal" "sequences that are no colours"; fi
      if [[ $terminal == dumb ]] && LC_ALL=C grep -q $'\e' "$work/out"; then not_ok "tfx $command in $terminal" "escape sequences"; fi
    done
  done
  ok "every command in four terminals"
else
  echo "skipped: script is not installed"
fi

# --- control characters ----------------------------------------------------------------------------------------------

# tame ARGUMENT…: neither stdout nor stderr holds a control character but newlines. The array with has variables.
with=()
tames=0 before=$failed
tame() {
  tames=$((tames + 1))
  timeout 60 env "${with[@]}" "$tfx" --color never "$@" >"$work/out" 2>"$work/err" </dev/null
  if LC_ALL=C tr -d '\000-\011\013-\037\177' <"$work/out" | cmp -s - "$work/out" &&
    LC_ALL=C tr -d '\000-\011\013-\037\177' <"$work/err" | cmp -s - "$work/err" &&
    ! LC_ALL=C grep -q $'\xc2[\x80-\x9f]\\|\xe2\x80[\xa8-\xae]\\|\xe2\x81[\xa6-\xa9]\\|\xe2\x80[\x8e\x8f]\\|\xd8\x9c' "$work/out" "$work/err"; then
    return
  fi
  not_ok "tame: $(name_of "$@")" "$(cat -v "$work/err" "$work/out" | grep -m 1 '\^\|M-B\|M-b')"
}
evil+=$'\xe2\x80\x8f\xd8\x9c'
cp sample.safetensors "$evil.safetensors"
cp sample.npz "$evil.npz"
cp sample.csv "$evil.csv"
printf '%s\t%s\n%s b\tc\n' "$evil" "x $evil" "$evil" >"$evil.tsv"
# A safetensors file whose tensor, metadata and dtype have such names; JSON has them escaped.
json='{"__metadata__":{"\u001b[31mkey":"\u009b2J\u202e"},"\u001b]0;t\u0007\u202e\u009b":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}'
{ printf "\\x$(printf %02x ${#json})\\0\\0\\0\\0\\0\\0\\0%s\\0\\0\\x80\\x3f" "$json"; } >names.safetensors
json='{"W_Q":{"dtype":"\u001b[31m\u202e","shape":[1,1],"data_offsets":[0,4]}}'
{ printf "\\x$(printf %02x ${#json})\\0\\0\\0\\0\\0\\0\\0%s\\0\\0\\x80\\x3f" "$json"; } >dtype.safetensors
LC_ALL=C sed $'s/scores\\.npy/sco\e[m.npy/g' sample.npz >names.npz
for command in $(commands_of_help); do
  tame "$command" "$evil"
  tame "$command" --lang zh "$evil"
  read -ra arguments <<<"$(sample_of "$command")"
  while read -r option type; do
    if [[ -z $type ]]; then continue; fi
    others=()
    for ((i = 0; i < ${#arguments[@]}; i++)); do
      if [[ ${arguments[i]} == "$option" ]]; then ((i++)); else others+=("${arguments[i]}"); fi
    done
    tame "$command" "${others[@]}" "$option" "$evil"
    case $type in FILE*)
      for file in "$evil".{npz,csv,tsv,safetensors} names.npz names.safetensors dtype.safetensors; do
        cp "$file" "copy-$file"
        tame "$command" "${others[@]}" "$option" "copy-$file"
      done
      ;;
    esac
  done < <(options_of "$command")
done
for file in "$evil".{npz,csv,safetensors} names.npz names.safetensors dtype.safetensors; do
  tame params "$file"
  tame params --by tensor "$file"
  if commands_of_help | grep -qx inspect; then tame inspect "$file"; fi
  if commands_of_help | grep -qx diff; then tame diff "$file" names.safetensors; fi
done
tame train "${little[@]}" --pairs "$evil.tsv" --steps 1 --batch 2 --held-out 2 --out "$evil.safetensors"
tame decode --model "$evil.safetensors"
tame decode --model "$evil.safetensors" --text "$evil"
tame decode --model "$evil.safetensors" --file "$evil.tsv"
tame decode --model "$evil.safetensors" --align --lang zh
tame decode --model "$evil.safetensors" --json
tame params "$evil.safetensors"
for variable in TERM COLORTERM LANG LC_ALL LC_MESSAGES LC_CTYPE HOME XDG_STATE_HOME COLUMNS NO_COLOR TZ OPENBLAS_CORETYPE \
  OPENBLAS_NUM_THREADS OMP_NUM_THREADS TFX_ISA OPENBLAS_L2_SIZE GOTO_NUM_THREADS; do
  with=("$variable=$evil")
  for command in doctor "doctor --json" softmax list; do
    read -ra arguments <<<"$command"
    tame "${arguments[@]}"
  done
done
with=()
check "control characters: $tames runs, none reaches the terminal" test $failed = "$before" -a $tames -gt 500
count "runs with control characters in words, names and variables" $tames

finish
