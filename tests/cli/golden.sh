#!/usr/bin/env bash
# The screens are the approved ones: tests/golden/commands.txt names them, tests/golden/NAME.txt is what was approved.
#   tests/cli/golden.sh BINARY
#   APPROVE=yes tests/cli/golden.sh BINARY      takes today's screens as the approved ones (tools/approve)
self=$(readlink -f -- "${BASH_SOURCE[0]}")
golden=${self%/cli/*}/golden
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# Some screens show rounding errors, which are those of the kernels: these every x86-64 processor of today can run.
export OPENBLAS_CORETYPE=Nehalem TFX_ISA=baseline

# What rounding leaves (6e-17) depends on the release of OpenBLAS too: the screens were approved with that of Debian 12,
# and with another one such a number may be another of the same width.
same_screen() {
  cmp -s "$1" "$2" && return
  [[ $openblas != "0.3.21" ]] && cmp -s <(without_rounding "$1") <(without_rounding "$2")
}
without_rounding() { sed -E 's/[0-9](\.[0-9])?e[-−]1[5-9]/ROUNDING/g' "$1"; }
openblas=$("$tfx" doctor --json | sed -nE 's/.*"openblas":true,"version":"([0-9.]+)".*/\1/p')

names=()
while IFS= read -r line; do
  if [[ -z $line || $line == \#* ]]; then continue; fi
  name=${line%%:*}
  names+=("$name")
  mapfile -t words < <(xargs printf '%s\n' <<<"${line#*:}") # words in quotes stay one
  arguments=() input=/dev/null
  rm -rf "$XDG_STATE_HOME"
  for word in "${words[@]}"; do
    case $word in
      "<"*) input=$golden/${word#<} ;;
      "@"*) mkdir -p "$XDG_STATE_HOME/tfx" && cp "$golden/${word#@}" "$XDG_STATE_HOME/tfx/progress" ;;
      *) arguments+=("$word") ;;
    esac
  done
  { timeout "$TEST_SECONDS" "$tfx" "${arguments[@]}" 2>&1 <"$input"; echo "exits $?"; } >"$work/screen"
  if [[ ${APPROVE-} ]]; then
    if ! cmp -s "$work/screen" "$golden/$name.txt"; then echo "approved: $name"; fi
    cp "$work/screen" "$golden/$name.txt"
  elif [[ ! -e $golden/$name.txt ]]; then
    not_ok "golden $name" "no approved screen; look at it, then tools/approve"
  elif same_screen "$golden/$name.txt" "$work/screen"; then
    ok "golden $name"
  else
    diff -u --label approved --label today "$golden/$name.txt" "$work/screen" >&2
    not_ok "golden $name" "the screen is not the approved one (tools/approve if it is better)"
  fi
done <"$golden/commands.txt"

for file in "$golden"/*.txt; do
  name=${file##*/}
  name=${name%.txt}
  if [[ $name == commands || " ${names[*]} " == *" $name "* ]]; then continue; fi
  if [[ ${APPROVE-} ]]; then rm "$file"; else not_ok "golden $name" "no command in commands.txt makes it"; fi
done

finish
