#!/usr/bin/env bash
# tfx verify --mutants: every mistake is noticed, and it says so in both languages.
#   tests/cli/mutants.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

succeeds "every mistake is noticed" --lang en verify --mutants
check "in 80 columns" test "$(wc -L <"$work/out")" -le 80
check "none survives" test "$(grep -c 'nobody notices' "$work/out")" = 0
succeeds "in Chinese" --lang zh verify --mutants
succeeds "the matrix as JSON" verify --mutants --json
check "well formed" balanced <"$work/out"
check "all killed" grep -q '"pass": true' "$work/out"
check "nobody is accused wrongly" grep -q '"false_alarms": \[\]' "$work/out"

finish
