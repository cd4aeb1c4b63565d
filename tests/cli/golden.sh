#!/usr/bin/env bash
# The screens are the approved ones. Each tests/golden/NAME.txt is the transcript of a session in a shell: a line
# "$ tfx …", what the program says to it, and "exits STATUS"; files that the commands read stand in inputs/.
#   tests/cli/golden.sh BINARY
#   APPROVE=yes tests/cli/golden.sh BINARY      takes today's screens as the approved ones (tools/approve)
self=$(readlink -f -- "${BASH_SOURCE[0]}")
golden=${self%/cli/*}/golden
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# Some screens show rounding errors, which are those of the kernels: these every x86-64 processor of today can run.
export OPENBLAS_CORETYPE=Nehalem TFX_ISA=baseline

# What rounding leaves (6e-17) depends on the release of OpenBLAS too: the screens were approved with that of Debian 12,
# and with another one such a number may be another, or 0, and a table by so much narrower.
same_screen() {
  cmp -s "$1" "$2" && return
  [[ $openblas != "0.3.21" ]] && cmp -s <(without_rounding "$1") <(without_rounding "$2")
}
without_rounding() { sed -E 's/[0-9](\.[0-9])?e[-−]1[5-9]/0/g; s/ +/ /g' "$1"; }
openblas=$("$tfx" doctor --json | sed -nE 's/.*"openblas":true,"version":"([0-9.]+)".*/\1/p')

tfx() { "$tfx" "$@"; }

# replay TRANSCRIPT: the session once more, with today's program.
replay() {
  local line
  while IFS= read -r line; do
    echo "$line"
    { eval "${line#\$ }"; } 2>&1 </dev/null
    echo "exits $?"
  done < <(awk 'BEGIN { is_next = 1 } is_next && /^\$ / { print; next } { is_next = /^exits [0-9]+$/ }' "$1")
}

for transcript in "$golden"/*.txt; do
  name=${transcript##*/}
  rm -rf ./* && cp -r "$golden/inputs/." .
  replay "$transcript" >"$work/session"
  if [[ ${APPROVE-} ]]; then
    if ! cmp -s "$work/session" "$transcript"; then echo "approved: $name"; fi
    cp "$work/session" "$transcript"
  elif same_screen "$transcript" "$work/session"; then
    ok "golden $name"
  else
    diff -u --label approved --label today "$transcript" "$work/session" >&2
    not_ok "golden $name" "a screen is not the approved one (tools/approve if it is better)"
  fi
done

finish
