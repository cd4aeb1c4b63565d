#!/usr/bin/env bash
# tfx LESSON --step: a question before each step, at a terminal and elsewhere.
#   tests/cli/step.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# at_terminal TYPED ARGUMENT…
at_terminal() {
  local typed=$1
  shift
  printf '%s' "$typed" | timeout "$TEST_SECONDS" script -qec "$(printf '%q ' "$tfx" "$@")" /dev/null | tr -d '\r' >"$work/out"
  status=${PIPESTATUS[1]}
}
has() { grep -Fq -- "$1" "$work/out"; }
count() { grep -c -- "$1" "$work/out"; }

lessons=(lookup words qkv scores softmax attention sdpa masked multihead cross embed block loss)
for lesson in "${lessons[@]}"; do
  run "$lesson" --step --no-time
  check "tfx $lesson --step waits for nobody" test $status = 0
  asked=$(count '^question ')
  check "tfx $lesson --step asks" test "$asked" -gt 0
  check "and answers as often" test "$(count '^answer   ')" = "$((asked + 1))"
  check "once what will happen, and why" test "$(count '^think ')" = 1
  # Behind a question comes what it asked about, with every number of the plain screen.
  cp "$work/out" "$work/stepped"
  names=$(sed -n 's/^question .*/&/p' "$work/stepped" | grep -o '([A-Za-z_0-9]* =' | tr -d '(= ' | sort -u)
  for name in $names; do
    run "$lesson" --show "$name" --no-time
    check "every number of $name is there" test -z "$(comm -13 <(tr -s ' ' '\n' <"$work/stepped" | sort -u) <(grep -v FLOP "$work/out" | tr -s ' ' '\n' | grep -x -- '-\?[0-9.]*' | sort -u))"
  done
done
run train step --step --no-time --lang en
check "what earlier lessons teach is a line of train step's" grep -q '^as in lesson [0-9]* (tfx qkv): Q = X·W_Q, K = X·W_K, V = X·W_V$' "$work/out"
check "and not asked" test "$(grep -Ec '^question .*[ (](Q|K|V|scores|scaled|mask|weights|logits|loss|dlogits)\b[^_]' "$work/out")" = 0
run loss --step --no-time --lang en
check "the way back is asked about" test "$(grep -Ec '^question (Is dlogits|How many numbers of the row d|What do the numbers of the row d)' "$work/out")" -ge 3
check "dlogits is derived" grep -q 'target_j) / n: dlogits' "$work/out"
for other in --json --quiet "--show scores" --full; do
  read -ra arguments <<<"$other"
  run scores --step "${arguments[@]}"
  check "--step and $other contradict each other" test $status = 2
done
run scores --step --width 40 --ascii
check "in ASCII and 40 columns" test "$(LC_ALL=C grep -c '[^ -~]' "$work/out")" = 0
check "no line is longer" test "$(awk 'length > 40' "$work/out" | grep -Evc 'word_|^ +[0-9-]')" = 0
run scores --step --text "the cat sat" --seed 9 --grad
check "on the learner's own words, with gradients" test $status = 0

# --- at a terminal ---------------------------------------------------------------------------------------------------

has_terminals || finish
run scores --step --no-time --lang en
answer=$(sed -n 's/^answer .* = \([-0-9.]*\)$/\1/p' "$work/out" | head -n 1)
at_terminal $'\n\n\n\n\n' scores --step --no-time --lang en
check "an empty line goes on to the end" has "next "
check "nothing was answered" has "0 of "
check "the lesson counts as seen" grep -q '^scores seen' "$XDG_STATE_HOME/tfx/progress"
for lesson in masked block; do
  typed=$(printf '\n%.0s' {1..80} && printf x)
  at_terminal "${typed%x}" "$lesson" --step --no-time --lang en
  longest=$(awk '/^tfx / {rows = 0; shown = 1} /^> |Enter goes on/ {rows = 0} shown && ++rows > most {most = rows} END {print most}' "$work/out")
  check "tfx $lesson --step shows at most a screen at once ($longest rows)" test "$longest" -le 24
done
for lesson in block softmax multihead masked cross loss; do
  at_terminal "${typed%x}" "$lesson" --step --no-time --lang en --color never
  check "tfx $lesson --step goes on within no program" test "$(grep -c '^ .*np\.' "$work/out")" = 0
done
at_terminal "$(printf '\n%.0s' {1..80} && printf x)" train step --step --no-time --lang en
enters=$(sed '/^question/Q' "$work/out" | grep -c 'Enter goes on')
check "train step asks within four screens ($enters)" test "$enters" -le 3
at_terminal "" scores --step --no-time --lang en
check "Ctrl-D ends the questions, not the lesson" has "next "
check "and status 0" test "$status" = 0
at_terminal $'\n?\n?\n?\n\n\n' scores --step --no-time --lang en
check "the third hint is the worked answer" test "$(count 'hint     ')" = 2
at_terminal $'\nnonsense\n\n' scores --step --no-time --lang en
check "what is no answer is told so" has "✗ "
if [[ $answer ]]; then
  at_terminal $'\n'"$answer"$'\n' scores --step --no-time --lang en
  check "the computed answer is right" has "✓ Right"
fi

finish
