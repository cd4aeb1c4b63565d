#!/usr/bin/env bash
# tfx induction, seen from outside: its pages on the shipped model and on own texts, models grown here, the trap unmasked
# as a learner would; refusals.
#   tests/cli/induction.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

for language in en zh; do
  for page in "" growth copies matches trap; do
    # shellcheck disable=SC2086 # options are words
    run induction $page --lang $language --width 80
    check "tfx induction $page runs ($language)" test $status = 0
    check "at most 60 rows ($language)" test "$(wc -l <"$work/out")" -le 60
    check "no row of it is wider ($language)" test -z "$(sed "s/^/80\t/" "$work/out" | too_wide)"
  done
done

shows "one's own text" 0 "0.99 met" induction --text "harry met a large old dog today harry met a" --lang en
shows "a period that no training had" 0 "repeats itself after 4 words" induction --text "to be or not to be" --lang en
shows "the score's arithmetic" 0 "tgt[j] = tgt[q]" explain induction score 0 --lang en
shows "the code" 0 'induction_score' code induction --in torch --lang en
shows "the textbook" 0 'attention_layer' code induction --in c++ --lang en
shows "a mistake" 0 'At other periods' break induction --with induction.fixed_period --lang en
shows "the same in Chinese" 0 '换成别的周期' break induction --with induction.fixed_period --lang zh

# A model grown here, twice the same, and shown on every page.
run induction --train --no-time --out "$work/mine.safetensors" --lang en
check "a head grows" test $status = 0
cp "$work/out" "$work/grown.txt"
run induction --train --no-time --out "$work/again.safetensors" --lang en
check "each table under what it is" test "$(grep -c '^── ' "$work/grown.txt")$(grep -c '^── Loss by step' "$work/grown.txt")" = 31
check "a run without checks has no row of them" test "$(grep -c '^check' "$work/grown.txt")" = 0
check "the same seed gives the same bytes" cmp -s "$work/mine.safetensors" "$work/again.safetensors"
check "and the same screen, but for the file's name" \
  test "$(sed 's/mine/again/' "$work/grown.txt")" = "$(cat "$work/out")"
run induction --train --no-time --seed 7 --out "$work/again.safetensors"
check "another seed gives others" test "$(cmp -s "$work/mine.safetensors" "$work/again.safetensors"; echo $?)" = 1
for page in "" growth copies matches trap; do
  # shellcheck disable=SC2086 # options are words
  run induction $page --model "$work/mine.safetensors" --lang en --width 80
  check "tfx induction $page of one's own" test $status = 0
done
shows "tested beside the shipped ones" 0 'yours' induction trap --model "$work/mine.safetensors" --lang en

# right_at PERIOD: the share that the table of the last run says.
right_at() {
  awk -v row="$1" '$1 == row && NF == 2 { print $2; exit }' "$work/out"
}
run induction --train --period 12 --rate 0.01 --seed 8 --no-time --out "$work/trap.safetensors" --lang en
check "the trap is right at its own period" test "$(awk "BEGIN { print ($(right_at 12) > 0.9) }")" = 1
check "the score deceives" test "$(awk '$1 == "1.0" { print ($3 > 0.8) }' "$work/out")" = 1
check "and nowhere else" test "$(awk "BEGIN { print ($(right_at 9) < 0.2) }")" = 1
run induction --train --layers 1 --no-time --lang en
check "one layer cannot" test "$(awk "BEGIN { print ($(right_at 12) < 0.6) }")" = 1
run induction --train --heads 2 --no-time --out "$work/two.safetensors" --lang en
check "two heads can" test "$(awk "BEGIN { print ($(right_at 12) > 0.9) }")" = 1
shows "a model of two heads" 0 '1.1' induction growth --model "$work/two.safetensors" --lang en
run induction --train --steps 20 --json --no-time --save "$work/grown.html"
check "as JSON" grep -q '"name":"growth"' "$work/out"
check "as a page, in both languages" grep -q ' drawn.</p>.*里抽。</p>' "$work/grown.html"
check "what it is, and how to have it again" \
  grep -q '模型</span></p>.*<code>tfx induction --train --steps 20</code>' "$work/grown.html"
shows "another kind of file, before anything is trained" 2 '.html' \
  induction --train --steps 20 --save "$work/grown.npz" --out "$work/none.safetensors" --lang en
check "nothing was trained" test ! -e "$work/none.safetensors"

shows "one word" 2 'takes 2 to' induction --text alone --lang en
shows "too many" 2 '至多 26 种' induction --text "$(seq -s ' ' 40)" --lang zh
shows "a model of another kind" 2 'attention alone' induction --model microgpt --lang en
shows "heads of the shipped one" 2 'tfx induction --train --heads 2' induction --heads 2 --lang en
shows "heads that do not divide" 2 '16' induction --train --heads 3 --lang en
shows "steps without a training" 2 '--train' induction --steps 3 --lang en
shows "a training of a text" 2 '--text' induction --train --text "a b a" --lang en
shows "a page of a training" 2 '--train' induction trap --train --lang en
shows "a file that is none" 2 '.safetensors' induction --train --steps 1 --out "$work/x.txt" --lang en
shows "a folder that is not there" 73 'no/where' induction --train --steps 1 --out no/where.safetensors --lang en
finish
