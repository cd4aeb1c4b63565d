#!/usr/bin/env bash
# tfx errata: its screens, its JSON, its refusals, its widths.
#   tests/cli/errata.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

command=(errata)

for tutorial in fun-transformer scaled-dot-product attention-block annotated happy-llm; do
  shows "the list names $tutorial" 0 "$tutorial"
  for width in 40 80 120; do
    run errata "$tutorial" --width "$width" --ascii --lang en
    check "$tutorial at $width columns" test "$status" = 0 -a -s "$work/out"
    widest=$(wc -L <"$work/out") # in columns: the pages' sections have Chinese numbers
    check "$tutorial stays within $width columns" test "$widest" -le "$width"
  done
  check "$tutorial has no hole in its words" test "$(grep -c '{' "$work/out")" = 0
  run errata "$tutorial" --lang zh
  check "$tutorial in Chinese" grep -q 改为 "$work/out"
done
run errata --width 40 --ascii --lang en
widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
check "the list stays within 40 columns" test "$widest" -le 40

for language in en zh; do
  run errata --width 80 --lang $language
  check "the page fits 60 rows ($language)" test "$(wc -l <"$work/out")" -le 60
  check "and says how a row is read before the first ($language)" test "$(sed '/^fun-transformer$/Q' "$work/out" | tr '\n' ' ' | grep -c '✓.*✗')" = 1
  "$tfx" errata --json | grep -o '"id":"[^"]*"' | cut -d'"' -f4 >"$work/ids"
  check "it names every one ($language)" test "$(tr -s ' ,、' '\n' <"$work/out" | grep -Fxc -f "$work/ids")" -ge "$(wc -l <"$work/ids")"
  run errata --brief --width 80 --lang $language
  check "--brief has a line for each ($language)" test "$(grep -c '^[✓–] ' "$work/out")" = "$(wc -l <"$work/ids")"
done
shows "the loss of attention-block" 0 "Σp = 38.5471 in the first row in place of 1; loss 5.714 in place of 9.3491" attention-block --width 120
shows "one, by its id" 0 "log_probs_max" log_probs_max
shows "one, by its tutorial and id" 0 "log_probs_max" attention-block log_probs_max
shows "one, by --only" 0 "log_probs_max" attention-block --only log_probs_max
check "one is one" test "$(grep -c '^where  ' "$work/out")" = 1
shows "a near miss of a tutorial" 2 "did you mean annotated" anotated
shows "a near miss of an id" 2 "did you mean thop" annotated thpo
shows "an id of another tutorial" 2 "similarity" annotated similarity
shows "unknown" 2 "tfx: there is no erratum or tutorial" nonsense
shows "--only beside an id" 2 "contradict" annotated thop --only a13

run errata --json
balanced <"$work/out"
check "JSON balances" test $? = 0
check "JSON has the head" grep -q '"command": "errata"' "$work/out"
check "every corrected form passes" test "$(grep -o '"pass":true' "$work/out" | wc -l)" -ge 40
check "none of them fails" test "$(grep -c '"pass":false' "$work/out")" = 0
check "no printed form passes" test "$(grep -c '"page_passes":true' "$work/out")" = 0
cp "$work/out" said.json
run errata --save saved.json
check "--save FILE.json is the JSON" cmp -s saved.json said.json
run errata happy-llm --save saved.html
check "--save FILE.html has the page in both languages" test "$(grep -c 'should be written\|改正后' saved.html)" -ge 1 -a "$(grep -o '<h3>happy-llm' saved.html | wc -l)" = 12

finish
