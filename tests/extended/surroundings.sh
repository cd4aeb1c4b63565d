#!/usr/bin/env bash
# Every command of tfx --help in locales that are there and that are not, in other zones, and in terminals of its own.
#   tests/extended/surroundings.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
make_samples
sampled_commands

# --- locales, zones, terminals: JSON is the same in all ---------------------------------------------------------------

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
  "TERM=dumb" "TERM=xterm-256color" "TERM=" "NO_COLOR=1" "COLORTERM=truecolor" "COLORFGBG=0;15" "TZ=Asia/Shanghai" "TZ=$evil" "HOME=" "HOME=/nowhere"
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

# --- terminals --------------------------------------------------------------------------------------------------------

if command -v script >/dev/null; then
  export TFX_PAGER=cat # what a pager does to the terminal is its own
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

finish
