#!/usr/bin/env bash
# Text in arguments, files, names and variables that would drive a terminal: none of its control characters gets there.
#   tests/extended/control_characters.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
make_samples

# tame ARGUMENT…: nothing of it is printed. The array with has variables.
with=()
tames=0 before=$failed
tame() {
  tames=$((tames + 1))
  timeout 60 env "${with[@]}" "$tfx" --color never "$@" >"$work/out" 2>"$work/err" </dev/null
  is_tame || not_ok "tame: $(name_of "$@")" "$(untamed)"
}
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
for variable in TERM COLORTERM COLORFGBG LANG LC_ALL LC_MESSAGES LC_CTYPE HOME XDG_STATE_HOME COLUMNS NO_COLOR TZ OPENBLAS_CORETYPE \
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
