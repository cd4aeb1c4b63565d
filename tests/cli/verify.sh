#!/usr/bin/env bash
# tfx verify: everything holds, and it says so.
#   tests/cli/verify.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

succeeds "verify" --lang en verify
check "no line fails" test "$(grep -c '^✗' "$work/out")" = 0
check "every lesson has its line" test "$(grep -c '^✓' "$work/out")" -ge 22
for word in scores block loss 'random numbers' float32 float64 adamw reverse numbers-zh; do
  check "it speaks of $word" grep -q "$word" "$work/out"
done
check "the trained model answers" grep -q 'noitnetta' <(tr -d '\n ' <"$work/out")
check "in 80 columns" test "$(wc -L <"$work/out")" -le 80
succeeds "as JSON" verify --json
check "well formed" balanced <"$work/out"
check "it passes" grep -q '"pass": true' "$work/out"
check "nothing in it fails" test "$(grep -c '"pass":false' "$work/out")" = 0

finish
