#!/bin/bash
# golden.sh BINARY: every lesson's screen in both languages, and other screens, are the approved ones (tests/golden).
set -uo pipefail
binary=$(readlink -f -- "$1")
golden=$(dirname -- "$(readlink -f -- "$0")")/../golden
export COLUMNS=80 LC_ALL=C.UTF-8 NO_COLOR=1 TERM=dumb
while IFS= read -r line; do
  [[ $line == \#* || -z $line ]] && continue
  name=${line%%:*}
  read -ra arguments <<<"${line#*: }"
  flags=()
  if [[ " ${arguments[*]} " =~ \ (lookup|words|qkv|scores|softmax|attention|sdpa|masked|multihead)\  &&
    ! " ${arguments[*]} " =~ \ (explain|code|--help)\  ]]; then flags=(--no-time); fi
  actual=$("$binary" "${arguments[@]}" "${flags[@]}" 2>&1; echo "exits $?")
  if [[ ${APPROVE:-} ]]; then
    printf '%s\n' "$actual" >"$golden/$name.txt"
  elif [[ ! -e $golden/$name.txt ]]; then
    echo "not ok golden $name: no approved screen; look at it, then tools/approve"
  elif difference=$(diff -u "$golden/$name.txt" - <<<"$actual"); then
    echo "ok golden $name"
  else
    printf '%s\n' "$difference" >&2
    echo "not ok golden $name: the screen is not the approved one (tools/approve if it is better)"
  fi
done <"$golden/commands.txt"
