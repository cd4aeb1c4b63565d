#!/usr/bin/env bash
# tfx verify: everything holds, every mistake is noticed, and both say so in time and in both languages.
#   tests/cli/verify.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# in_time NAME ARGUMENT…: exits with 0 within 20 seconds of a quiet machine (a busy one gets three times as long).
in_time() {
  local name=$1
  shift
  timeout "${TFX_TEST_SECONDS:-180}" "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
  local status=$?
  if [[ $status -eq 0 ]]; then ok "$name"; else not_ok "$name" "exits with $status: $(grep -E '✗|nobody|FAIL' "$work/out" | head -3)"; fi
}

in_time "verify" --lang en verify
check "no line fails" test "$(grep -c '^✗' "$work/out")" = 0
check "every lesson has its line" test "$(grep -c '^✓' "$work/out")" -ge 22
for word in scores block loss 'random numbers' float32 float64 adamw reverse numbers-zh; do
  check "it speaks of $word" grep -q "$word" "$work/out"
done
check "the trained model answers" grep -q 'noitnetta' <(tr -d '\n ' <"$work/out")
check "in 80 columns" test "$(wc -L <"$work/out")" -le 80
in_time "as JSON" verify --json
check "well formed" balanced <"$work/out"
check "it passes" grep -q '"pass": true' "$work/out"
check "nothing in it fails" test "$(grep -c '"pass":false' "$work/out")" = 0

in_time "every mistake is noticed" --lang en verify --mutants
check "in 80 columns" test "$(wc -L <"$work/out")" -le 80
check "none survives" test "$(grep -c 'nobody notices' "$work/out")" = 0
in_time "in Chinese" --lang zh verify --mutants
in_time "the matrix as JSON" verify --mutants --json
check "well formed" balanced <"$work/out"
check "all killed" grep -q '"pass": true' "$work/out"
check "nobody is accused wrongly" grep -q '"false_alarms": \[\]' "$work/out"

finish
