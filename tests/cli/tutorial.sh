#!/usr/bin/env bash
# tfx tutorial: each path in both languages, every command of every block, the dialogue at a terminal, what tfx next and
# tfx reset make of it, and the tables of docs/tutorials.md.
#   tests/cli/tutorial.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
tutorials=(fun-transformer scaled-dot-product attention-block annotated happy-llm microgpt)

# --- screens ---------------------------------------------------------------------------------------------------------

for language in en zh; do
  for width in 40 80 200; do
    for tutorial in "" "${tutorials[@]}"; do
      run tutorial ${tutorial:+"$tutorial"} --lang $language --width $width
      check "tfx tutorial $tutorial at $width columns ($language)" test $status = 0 -a -s "$work/out"
      check "none of it wider ($tutorial, $language)" test -z "$(sed "s/^/$width\t/" "$work/out" | too_wide)"
    done
  done
  run tutorial happy-llm --run 4 --lang $language
  check "a block says what it shows, its command, and where to go on ($language)" test "$(
    grep -c 'happy-llm 2.1.2\|^\$ tfx explain lookup given_output 0 0 --tutorial happy-llm:1\|tfx next' "$work/out"
  )" = 3
  check "and shows it ($language)" grep -q '0.6·10 + 0.4·5 + 0·2' "$work/out"
done
run tutorial annotated --ascii --lang en
check "tfx tutorial --ascii says nothing beyond it but the tutorial's own numbering" test "$(
  sed 's/[一二三]\.\?//' "$work/out" | LC_ALL=C tr -d '\n -~' | wc -c)" = 0
run tutorial --json
check "tfx tutorial --json is a document" balanced <"$work/out"
cp "$work/out" "$work/reference"
run tutorial --json --lang zh --ascii --width 40
check "the same in every language and width" cmp -s "$work/reference" "$work/out"

# --- every command ---------------------------------------------------------------------------------------------------

grep -o '"tfx [^"]*"' "$work/reference" | sort -u | while IFS= read -r command; do
  command=${command#\"} command=${command%\"}
  if bash -c "${tfx@Q} ${command#tfx }" >"$work/out" 2>"$work/err" </dev/null && [[ -s $work/out ]]; then
    ok "$command"
  else
    not_ok "$command" "status $?: $(first_lines "$work/err")"
  fi
done >"$work/commands"
cat "$work/commands"
failed=$((failed + $(grep -c '^not ok' "$work/commands")))
check "each of them was run" test "$(wc -l <"$work/commands")" -gt 60
for tutorial in "${tutorials[@]}"; do
  blocks=$("$tfx" tutorial "$tutorial" --json | grep -o '"section":' | wc -l)
  run tutorial "$tutorial" --run "$blocks"
  check "the last block of $tutorial runs by its number" test $status = 0
  run tutorial "$tutorial" --run $((blocks + 1)) --lang en
  check "the one behind it is refused" grep -q "$tutorial has no block $((blocks + 1))" "$work/err"
  check "with status 2" test $status = 2
done

# --- a block is its own ten rows ---------------------------------------------------------------------------------------

for tutorial in "${tutorials[@]}"; do
  "$tfx" tutorial "$tutorial" --json | grep -o '"most_rows":[0-9]*' | cut -d: -f2 >"$work/most"
  for language in en zh; do
    number=0
    while IFS= read -r most; do
      number=$((number + 1))
      run tutorial "$tutorial" --run $number --lang $language --width 80
      rows=$(wc -l <"$work/out")
      check "$tutorial $number has at most $most rows, not $rows ($language)" test "$rows" -le "$most"
      check "and one next ($language)" test "$(grep -c '^next \|^Next: \|^接着 \|^接下来\|^下一段：\|^下一步' "$work/out")" = 1
    done <"$work/most"
  done
done
check "a block of more than 24 rows is a whole page" test "$("$tfx" tutorial --json | grep -o '"most_rows":[0-9]*' |
  sort -u | tr '\n' ' ')" = '"most_rows":24 "most_rows":60 '
check "and there are few of them" test "$("$tfx" tutorial --json | grep -o '"most_rows":60' | wc -l)" -le 11

# What a block is about stands on its screen: COMMAND's point, as the run has it.
point() { run tutorial "$1" --run "$2" --lang en --width 80 && check "$1 $2: $3" grep -q -- "$3" "$work/out"; }
point attention-block 11 '^output  *0.0139  *0.0752  *0  *0$'
point attention-block 11 '^dW_Q '
point annotated 3 'one copy of W_1 changed: 0 of the other copies move'
point annotated 6 'residual_1  4×8 = X + dropped_1'
point annotated 19 '^is_contiguous()'
point annotated 21 '^pe  *32  *1  *0$'
point annotated 23 '^r1  *-0.9180'
point annotated 24 '^annotated-listing  *8,403,432 '
point happy-llm 1 'steps (RNN)  *FNN  *CNN  *RNN  *attention$'
point happy-llm 1 '^k = 8  *8  *0.1292  *0.0000  *0.0063'
point happy-llm 14 '^4  <BOS> I like you → <EOS>  *4 .* 0$'
point happy-llm 16 '^like  *0  *0  *0  *−∞  *−∞$'

# --- the documentation -----------------------------------------------------------------------------------------------

for tutorial in "${tutorials[@]}"; do
  for page in en:tutorials.md zh:tutorials.zh.md; do
    run tutorial "$tutorial" --markdown --lang "${page%%:*}"
    text=$(<"$work/out") document=$(<"$root/docs/${page#*:}")
    check "docs/${page#*:} has the table of $tutorial" test "${document/"$text"/}" != "$document"
  done
done
check "no block is without its command in tfx" test -z "$(grep -n 'comes with the full model\|not of a ResNet' "$root"/docs/*.md)"

# --- refusals --------------------------------------------------------------------------------------------------------

shows "a tutorial that is none" 2 'did you mean happy-llm' tutorial hapy-llm --lang en
shows "a block without a tutorial" 2 '--run needs a tutorial' tutorial --run 3 --lang en
shows "a block that is no number" 2 '--run' tutorial happy-llm --run x
shows "block 0" 2 '--run' tutorial happy-llm --run 0

# --- the path at a terminal ------------------------------------------------------------------------------------------

has_terminals || finish
file=$XDG_STATE_HOME/tfx/progress
export TFX_PAGER=cat
# typed LINES COMMAND…: with a terminal, the lines typed one after the other; what is shown is in $work/out.
typed() {
  local lines=$1
  shift
  (sleep 0.3 && printf "$lines" && sleep 0.3) | timeout "$TEST_SECONDS" script -qec "${*@Q}" /dev/null >"$work/out"
  status=$?
}
marks() { grep -c " seen$" "$file"; }

run tutorial happy-llm
check "what a script runs begins no path" test ! -e "$file"
typed '\n\nq\n' "$tfx" tutorial happy-llm --lang en
check "Enter runs a block after the other, q ends" test $status = 0
check "the first two are seen" grep -q '^happy-llm-dictionary seen' "$file"
check "the lessons that they were, too" grep -q "^attention seen" "$file"
check "with the question behind each" test "$(grep -c 'Enter runs' "$work/out")" = 3
check "and none said twice" test "$(grep -c '^Next: ' "$work/out")" = 0
typed '10\na\nb\nq\n' "$tfx" tutorial happy-llm --lang en
check "a runs what stands beside also" grep -q '\$ tfx attention --tutorial happy-llm:2' "$work/out"
check "the prompt says so" grep -q 'a what stands beside' "$work/out"
check "another letter is none" test "$(grep -c 'There is no block' "$work/out")" = 1
check "and its page has no next of its own" test "$(grep -c '^next ' "$work/out")" = 0
run reset happy-llm
typed '\n\nq\n' "$tfx" tutorial happy-llm --lang en
typed '12\nq\n' "$tfx" tutorial happy-llm --lang en
check "a number runs that block" grep -q '^happy-llm-two-sequences seen' "$file"
before=$(marks)
typed 'x\n99\nq\n' "$tfx" tutorial happy-llm --lang en
check "what is no number is said" test "$(grep -c 'There is no block' "$work/out")" = 2
check "and runs nothing" test "$(marks)" = "$before"
typed '' "$tfx" next --lang en
check "tfx next goes on behind the last block" grep -q 'happy-llm 2.1.4: attention(x, x, x)' "$work/out"
check "and says how to leave" grep -q 'tfx reset happy-llm' "$work/out"
typed '' "$tfx" scores
typed '' "$tfx" next --lang en
check "a lesson beside the path does not end it" grep -q 'block 14 of 21' "$work/out"
run list --lang en
check "the map says where the path goes on" grep -q 'tfx next (happy-llm 15/21)' "$work/out"
run tutorial --lang en
check "and tfx tutorial how much is seen" grep -q '^tfx tutorial happy-llm  *5 of 21' "$work/out"
run reset happy-llm
check "tfx reset leaves the path" test $status = 0
check "and forgets its blocks alone" test "$(grep -c '^happy-llm' "$file")" = 0 -a "$(grep -c '^scores seen' "$file")" = 1
run reset hapy-llm
check "a name that is neither lesson nor tutorial is refused" test $status = 2

# --- the course without a path ---------------------------------------------------------------------------------------

printf '%s\n' "tfx progress 1" "block seen" >"$file"
run next --lang en
check "tfx next runs the whole model too" grep -q '^tfx model .*lesson 13  1/4$' "$work/out"
check "with its activations" grep -q 'decoder.layers.1' "$work/out"
printf '%s\n' "tfx progress 1" "cache seen" >"$file"
run next --lang en
check "and the tables of params" grep -q '^tfx params ' "$work/out"
finish
