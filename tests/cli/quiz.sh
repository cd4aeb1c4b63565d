#!/usr/bin/env bash
# tfx quiz: questions from a seed, answers from a script or at a terminal, verdicts, diagnoses, JSON for graders.
#   tests/cli/quiz.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# quiz ANSWERS ARGUMENT…: the answers, a line each, on standard input.
quiz() {
  local answers=$1
  shift
  printf '%s' "$answers" | timeout "$TEST_SECONDS" "$tfx" quiz "$@" >"$work/out" 2>"$work/err"
  status=$?
}
# at_terminal TYPED ARGUMENT…: the same typed at a terminal.
at_terminal() {
  local typed=$1
  shift
  printf '%s' "$typed" | timeout "$TEST_SECONDS" script -qec "$(printf '%q ' "$tfx" quiz "$@")" /dev/null >"$work/out"
  status=$?
}
has() { grep -Fq -- "$1" "$work/out"; }
count() { grep -Fo -- "$1" "$work/out" | wc -l; }
# answers ARGUMENT…: the computed answers of that quiz, one a line, as --json has them.
answers() { "$tfx" quiz "$@" --json </dev/null | grep -o '"text":"[^"]*"' | sed 's/^"text":"//; s/"$//'; }

# --- from a script ---------------------------------------------------------------------------------------------------

for lesson in "" lookup words qkv scores softmax attention sdpa masked multihead cross embed block loss; do
  for seed in 1 2; do
    # shellcheck disable=SC2086 # no lesson: no argument
    right=$(answers $lesson --seed $seed --count 6)
    quiz "$right" $lesson --seed $seed --count 6
    check "quiz ${lesson:-of all}, seed $seed: the computed answers are right" test $status = 0
    check "quiz ${lesson:-of all}, seed $seed: all of them" test "$(count '✓ Right')" = 6
  done
done
for lesson in lookup words qkv scores softmax attention sdpa masked multihead cross embed block loss train decode cache params bpe; do
  for seed in 1 2 3; do
    quiz $'0\n0\n0\n0\n0\n0\n' "$lesson" --seed $seed --count 6 --json
    check "quiz $lesson, seed $seed: every verdict says why" test "$(grep -o '"why":"[^"]' "$work/out" | wc -l)" = 6
    check "quiz $lesson, seed $seed: in words that are filled in" test "$(grep -c '"why":"[^"]*[{}]' "$work/out")" = 0
  done
done
quiz $'0\n0\n0\n0\n0\n0\n' loss --count 6 --seed 2 --lang en
check "below the answer" test "$(grep -A1 '^  It is ' "$work/out" | grep -c '^  [^I]')" -ge 4
for language in en zh; do
  quiz "" bpe --count 6 --lang $language
  check "what is more than a formula is a sentence among the choices ($language)" test "$(grep -c '^[0-3]  bpe' "$work/out")" -ge 4 -a "$(grep -c '^[0-3]  bpe.*[=(]' "$work/out")" = 0
done
quiz "" scores
check "no answers: status 1" test $status = 1
check "each counts as not answered" test "$(count '✗ not answered')" = 5
check "the answers are told" test "$(count 'It is ')" = 5
check "nothing on stderr" test ! -s "$work/err"
quiz "$(answers scores | head -n 4)" scores
check "one missing: status 1" test $status = 1
check "four right" has "4 of 5 right"
quiz "$(answers scores --precision 2)" scores
check "answers with two decimals are right as well" test $status = 0
quiz "$(answers scores | sed 'y/0123456789/０１２３４５６７８９/; s/×/，/')" scores
check "and full-width ones" test $status = 0
quiz "$(answers softmax --count 8 | sed -E 's|^-?[0-9.]+$|(\0)·sqrt(4)/2|')" softmax --count 8
check "arithmetic is an answer" test $status = 0
quiz $'x\nx\nsqrt(\n' scores
check "what is no arithmetic is refused" has "That is no number"
quiz $'\xff\xfe\n\x1b[2J\n'"$(head -c 100000 /dev/zero | tr '\0' 9)"$'\n\0\n' scores
check "answers that drive the terminal or have no end are wrong" test $status = 1
if LC_ALL=C grep -q $'\x1b' "$work/out"; then not_ok "they do not reach the screen" "an escape"; else ok "they do not reach the screen"; fi
"$tfx" quiz scores <. >/dev/null 2>"$work/err"
check "a folder as standard input is an error" test $? = 74

quiz "$(answers loss --batch 1 --count 50)" loss --batch 1 --count 50
check "a single sentence as a batch" test $status = 0

# --- wrong answers are explained -------------------------------------------------------------------------------------

# The first question about a cell of a run, answered by a function of the computed answer.
json=$("$tfx" quiz scores --json --count 40 </dev/null)
cell=$(grep -o '"kind":"cell","question":"[^"]*","tensor":"scores","index":\[[0-9],[0-9]\],"answer":[0-9.]*' <<<"$json" | awk -F'"answer":' '$2 > 0' | head -n 1)
check "there is a question about a score" test -n "$cell"
number=$(grep -Fn "$cell" <(tr '{' '\n' <<<"$json" | grep '"kind"') | head -n 1 | cut -d: -f1)
blanks=
for ((i = 1; i < number; i++)); do blanks+=$'\n'; done
quiz "$blanks-${cell##*:}" scores --count 40
check "the other sign is called so" has "The size is right, the sign is not."
quiz "${blanks}many" scores --count 40
check "a word is no number" has "That is no number"

# --- for graders -----------------------------------------------------------------------------------------------------

quiz $'10\n\nx\n' scores --json --seed 3
check "the document is well formed" balanced <"$work/out"
for pattern in '^  "schema_version": 2,$' '^  "command": "quiz",$' '^  "lesson": "scores",$' '^  "seed": 3,$' '^  "count": 5,$' \
  '"kind":"(cell|row_sum|largest|mask|shape|count|sign|zeros)"' '"why":"' '"verdict":"unanswered"' '"given":"10"' '"given":null'; do
  check "it has $pattern" grep -Eq -- "$pattern" "$work/out"
done
cp "$work/out" "$work/first"
quiz $'10\n\nx\n' scores --json --seed 3
check "it is the same again" cmp -s "$work/out" "$work/first"
quiz "" scores --json --seed 4
check "another seed asks others" test "$(grep -c . <(diff "$work/out" "$work/first"))" -gt 0
quiz "" --json --count 30
check "without a lesson it asks about many" test "$(grep -o '"lesson":"[a-z]*"' "$work/out" | sort -u | wc -l)" -gt 5
quiz "" multihead --text "the cat sat" --json
check "the learner's own words" test $status = 1
check "are what is asked about" grep -q '"tutorial":""' "$work/out"

# --- refusals --------------------------------------------------------------------------------------------------------

for arguments in "nothing" "bench" "scores --count 0" "scores --count 1001" "scores --seed x" "scores softmax" "scores --step"; do
  read -ra list <<<"$arguments"
  run quiz "${list[@]}"
  check "quiz $arguments: usage" test $status = 2
done

quiz "" bench --lang en
check "a lesson without a quiz: status 2" test $status = 2
check "it says so" grep -q "bench has no quiz" "$work/err"
check "a lesson that nothing breaks" test "$(grep -c "tfx break" "$work/err")" = 0

# --- at a terminal ---------------------------------------------------------------------------------------------------

has_terminals || finish
right=$(answers scores --count 2)
at_terminal "$right"$'\n' scores --count 2 --lang en
check "right answers: status 0" test $status = 0
check "and they are said to be" test "$(count '✓ Right')" = 2
check "the lesson counts as done" grep -q '^scores done' "$XDG_STATE_HOME/tfx/progress"
rm "$XDG_STATE_HOME/tfx/progress"
at_terminal "$(answers scores --count 1)"$'\n' scores --count 1 --lang en
check "one cell alone is not the lesson" grep -q '^scores seen' "$XDG_STATE_HOME/tfx/progress"
at_terminal "$right"$'\n' scores --count 2 --lang en
at_terminal $'\n\n' scores --count 2 --lang en
check "who gives up is shown the answer" has 'answer '
check "and how it is worked out" has '·'
at_terminal $'?\n提示\n？\n\n' scores --count 2 --lang en
check "hints: status 1" test $status = 1
check "two hints, then the worked answer" test "$(count 'hint ')" -ge 2
check "what is done stays done" grep -q '^scores done' "$XDG_STATE_HOME/tfx/progress"
at_terminal $'99999\n'"$right"$'\n' scores --count 2 --lang en
check "a wrong answer may be tried again" test $status = 0
at_terminal "" scores --lang en
check "Ctrl-D ends the questions" test $status = 1
check "with the score" has "0 of 5 right"
timeout "$TEST_SECONDS" script -qec "$(printf '%q ' "$tfx" quiz scores) >quiz.txt" /dev/null </dev/null >/dev/null
check "a quiz into a file waits for nobody" grep -q "0 of 5 right" quiz.txt

# --- as a page -------------------------------------------------------------------------------------------------------

quiz $'8\n' scores --count 2 --seed 5 --save "$work/quiz.html" --lang zh
check "a page has the questions in both languages" grep -q 'What .*</span><span lang="zh">[^<]*？' "$work/quiz.html"
check "and how to have it again" grep -q '<code>tfx quiz scores --count 2 --seed 5</code>' "$work/quiz.html"
check "what was answered is no answer" grep -q '^回答 ' "$work/out"
quiz "" scores --count 1 --width 20 --lang en
check "a narrow title is wrapped" test "$(head -n 1 "$work/out" | wc -L)" -le 20

at_terminal $'4x4\n0\n?\n?\n?\n7\n\n' scores --count 3 --save "$work/told.json" --lang en
check "what was said at a terminal is what is saved" test \
  "$(grep -o '"given":[^,]*,"verdict":"[a-z]*"' "$work/told.json" | paste -sd ' ')" = \
  '"given":"4x4","verdict":"right" "given":"0","verdict":"wrong" "given":"7","verdict":"wrong"'
check "asked once" test "$(count 'What is the shape of scores?')" = 1

finish
