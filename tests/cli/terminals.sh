#!/bin/bash
# terminals.sh BINARY: pipes, full disks, closed outputs, narrow and dumb terminals, colours, other locales, hostile text.
set -uo pipefail
binary=$(readlink -f -- "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
verdict() { # verdict NAME STATUS WHY
  if (($2 == 0)); then echo "ok $1"; else echo "not ok $1: $3"; fi
}
lessons=(lookup words qkv scores softmax attention sdpa masked multihead)
commands=("" list "explain scores scores 0 2" "code scores" "scores --json" "${lessons[@]}")

for command in "${commands[@]}"; do
  read -ra arguments <<<"$command"
  said=$("$binary" "${arguments[@]}" 2>&1 >/dev/null | head -1)
  "$binary" "${arguments[@]}" 2>stderr | head -1 >/dev/null
  [[ -z $said && ! -s stderr ]]
  verdict "| head -1: tfx $command" $? "$(head -1 stderr)$said"
  (trap '' PIPE; "$binary" "${arguments[@]}" 2>stderr | head -1 >/dev/null)
  [[ ! -s stderr ]]
  verdict "SIGPIPE ignored: tfx $command" $? "$(head -1 stderr)"
  "$binary" "${arguments[@]}" >/dev/full 2>stderr
  (($? == 74)) && grep -q 'No space left' stderr
  verdict "> /dev/full: tfx $command" $? "status or message: $(head -1 stderr)"
  "$binary" "${arguments[@]}" >&- 2>stderr
  (($? == 74))
  verdict ">&-: tfx $command" $? "$(head -1 stderr)"
done

"$binary" scores --json --no-time >reference.json
same() { # same NAME COMMAND…: the same JSON, byte for byte
  local name=$1
  shift
  "$@" >other.json 2>/dev/null && cmp -s reference.json other.json
  verdict "--json --no-time: $name" $? "other bytes"
}
for locale in C C.UTF-8 de_DE.UTF-8 zh_CN.UTF-8 zh_CN.GBK; do same "LC_ALL=$locale" env "LC_ALL=$locale" "$binary" scores --json --no-time; done
for columns in 1 40 80 200 300; do same "COLUMNS=$columns" env "COLUMNS=$columns" "$binary" scores --json --no-time; done
same 'TERM=dumb' env TERM=dumb "$binary" scores --json --no-time
same 'no HOME' env -u HOME "$binary" scores --json --no-time
same 'colour' "$binary" --color always scores --json --no-time
same 'zh' "$binary" --lang zh scores --json --no-time
same 'OPENBLAS_NUM_THREADS=2' env OPENBLAS_NUM_THREADS=2 "$binary" scores --json --no-time
for key in '"schema_version":1' '"command":"scores"' '"tutorial":"fun-transformer"' '"tensors"' '"checks"' '"cost"' '"params"' \
  '"macs":48' '"flops":96' '[8.0,2.0,10.0,2.0]'; do
  tr -d '\n ' <reference.json | grep -qF "$key"
  verdict "--json has $key" $? "missing"
done
! grep -q seconds reference.json
verdict '--no-time leaves out seconds' $? 'they are there'
"$binary" scores --json | grep -q '"seconds"'
verdict '--json has seconds' $? 'missing'

for width in 20 30 40 57 80 120 200 300; do
  worst=0
  for lesson in "${lessons[@]}"; do
    wide=$(COLUMNS=$width "$binary" --ascii --lang en "$lesson" | awk -v w="$width" 'length > w' | head -1)
    # What cannot be broken may stick out of very narrow screens: one word, one number with its label.
    if ((width >= 40)) && [[ -n $wide ]]; then worst=1; echo "$lesson at $width: $wide" >&2; fi
  done
  verdict "no line is wider than $width columns" $worst 'one is'
done
LC_ALL=C "$binary" --ascii --lang en masked | LC_ALL=C grep -q '[^ -~]'
(($? == 1))
verdict '--ascii is ASCII' $? 'other characters'
for kind in truecolor palette; do
  if [[ $kind == truecolor ]]; then export COLORTERM=truecolor; else export COLORTERM='' TERM=xterm-256color; fi
  screen=$("$binary" --color always masked)
  [[ $screen == *$'\e[48;'* && $(grep -o $'\e\[[0-9;]*m' <<<"$screen" | tail -1) == $'\e[0m' ]]
  verdict "colours: $kind" $? 'missing or not reset'
done
[[ $("$binary" --color never masked) != *$'\e'* ]]
verdict 'no colours on request' $? 'escape sequences'
[[ $("$binary" masked) != *$'\e'* ]]
verdict 'no colours in a pipe' $? 'escape sequences'

evil=$'\e]0;title\a'$'\e[31mred'$'\u202eback'
printf '"%s",1,2\nb,3,4\n' "$evil" >words.csv
cp words.csv "evil"$'\e[31m'".csv"
for run in "scores --text|$evil word" "scores --words|words.csv" "scores --words|evil"$'\e[31m'".csv" "scores --x|$evil" "$evil|" "scores|--$evil"; do
  read -ra arguments <<<"${run%%|*}"
  "$binary" "${arguments[@]}" "${run#*|}" >out 2>&1
  ! LC_ALL=C grep -qP '\x1b|\x07|\xe2\x80\xae' out
  verdict "control characters do not reach the terminal: ${run%%|*}" $? "they do"
done
