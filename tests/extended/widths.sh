#!/usr/bin/env bash
# Every command of tfx --help at every width from 1 to 300 columns: it has a screen, and no line is wider.
#   tests/extended/widths.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
make_samples
sampled_commands

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
    if [[ ! -s $work/out ]]; then not_ok "tfx $command, COLUMNS=$width" "no screen"; fi
    # A terminal counts as at least 20 wide; a matrix needs 40 for its first and last column with their headings.
    # Code is shown as it stands.
    if ((width >= 40)) && [[ $command != code* ]]; then sed "s/^/$width\t/" "$work/out" >>"$work/screens"; fi
  done
  wide=$(too_wide <"$work/screens" | grep -v $'^[0-9]*\t *np\\.' | head -n 1) # a line of NumPy is there to be copied
  if [[ -n $wide ]]; then not_ok "tfx $command" "wider than its terminal: $wide"; fi
  check "tfx $command at every width" test $failed = "$before"
done
count "screens at widths 1 to 300" $screens

finish
