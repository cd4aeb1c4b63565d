#!/usr/bin/env bash
# tfx break: the list, one mistake beside the right run, what notices it, and what it refuses.
#   tests/cli/break.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

for lesson in lookup words qkv scores softmax attention sdpa masked multihead cross embed block loss decode cache bpe; do
  shows_match "the mistakes of $lesson" 0 "tfx break $lesson" --lang en break "$lesson"
  widest=$(wc -L <"$work/out")
  check "they fit into 80 columns: $lesson" test "$widest" -le 80
done

# Every mistake of every lesson has a screen of its own; they take turns in the two languages.
language=en
for lesson in qkv scores softmax attention masked multihead cross embed block loss bpe; do
  run break "$lesson" --json
  check "$lesson: well formed" balanced <"$work/out"
  mapfile -t ids < <(grep -o '"mistake":"[^"]*"' "$work/out" | cut -d'"' -f4)
  check "$lesson has mistakes" test "${#ids[@]}" -ge 3
  bad=""
  for id in "${ids[@]}"; do
    run --lang "$language" break "$lesson" --with "$id"
    [[ $status -eq 0 ]] || bad+=" $id exits with $status: $(first_lines "$work/err")"
    [[ $(wc -L <"$work/out") -le 80 ]] || bad+=" $id is wider than 80 in $language"
    if [[ $language == en ]]; then language=zh; else language=en; fi
  done
  if [[ -z $bad ]]; then ok "$lesson with each of its mistakes"; else not_ok "$lesson with each of its mistakes" "$bad"; fi
done

# A lesson's own are listed; those of other lessons are counted, and listed with --all.
run --lang en break multihead --seed 7
check "its own are listed" grep -q "^heads.averaged" "$work/out"
check "and no other" test "$(grep -c "^softmax\\." "$work/out")" = 0
run break multihead --seed 7 --json
others=$(($(grep -o '"mistake":"' "$work/out" | wc -l) - $(grep -o '"mistake":"heads\.' "$work/out" | wc -l)))
shows_match "the others are counted" 0 "mistakes of other lessons, $others: tfx break multihead --all --seed 7" \
  --lang en break multihead --seed 7
shows_match "in Chinese" 0 "其他课的错法 $others 种" --lang zh break multihead --seed 7
shows_match "and listed" 0 "softmax.no_scale" --lang en break multihead --all
check "then there is no more" test "$(grep -c "other lessons" "$work/out")" = 0
shows_match "a lesson without any of its own shows all" 0 "softmax.no_scale" --lang en break sdpa
check "and counts no others" test "$(grep -c "other lessons" "$work/out")" = 0
shows_match "--all beside a mistake" 2 "[-][-]all" --lang en break softmax --all --with softmax.no_scale

shows_match "what changes is marked" 0 '[0-9]\*' --lang en break softmax --with softmax.no_scale
shows_match "a wrong axis passes the check of shapes" 0 'This passes the check of shapes' --lang en break softmax --with softmax.wrong_axis
shows_match "and rows that do not sum to 1 give it away" 0 '✗ .*sum to 1' --lang en break softmax --with softmax.wrong_axis
shows_match "in ASCII too" 0 'FAIL .*sum to 1' --lang en --ascii break softmax --with softmax.wrong_axis
shows_match "one's own words" 0 'the cat sat' --lang en break attention --with softmax.no_scale --text "the cat sat"
shows_match "another shape is named beside the right one" 0 'row_max has shape 1×4, not 4×1' --lang en break softmax --with softmax.wrong_axis
shows_match "an infinite deviation" 0 'moved by ∞' --lang en break softmax --with softmax.no_max
shows_match "in ASCII" 0 'moved by inf' --lang en --ascii break softmax --with softmax.no_max
shows_match "where a mistake changes nothing, another input" 0 "Numbers that do: tfx break bpe --with bpe.overlap --text 'hahaha hahaha'" --lang en break bpe
shows_match "which shows it" 0 'pieces_2: 4 of 14 cells change' --lang en break bpe --with bpe.overlap --text 'hahaha hahaha'
shows_match "beside the mistake alone too" 0 "see it *tfx break bpe --with bpe.recount --text 'her her her the the'" --lang en break bpe --with bpe.recount
run break bpe --with bpe.recount --text 'her her her the the' --word there
check "and not where it is seen" test "$(grep -c "see it" "$work/out")" = 0
shows_match "a near miss" 2 'did you mean softmax.no_scale' --lang en break softmax --with softmax.noscale
shows_match "the name without its stage" 2 'did you mean softmax.no_scale' --lang en break softmax --with no_scale
shows_match "a mistake of another lesson" 2 'mask.polarity cannot be made in this run of scores' --lang en break scores --with mask.polarity
shows_match "a lesson that is none" 2 'there is no lesson' --lang en break sofmax
shows_match "a lesson without a page" 2 'nothing of bench' --lang en break bench

# The steps of decode and cache take what they read, and name the lessons that an option is for.
unread() { # LESSON READERS OPTION [VALUE]
  local lesson=$1 readers=$2
  shift 2
  shows_match "$lesson has no use for $1" 2 "tfx: $1 has no use for $lesson it is for $readers\b" --lang en break "$lesson" "$@"
  check "$lesson $1: nothing on standard output" test ! -s "$work/out"
}
printf '1,2\n3,4\n' >file.csv
for lesson in decode cache; do
  for option in "--q file.csv" "--k file.csv" "--v file.csv"; do unread $lesson "lookup, qkv" $option; done
  for option in "--mask nosuch.csv" --causal "--pad 1" "--on-masked-row nan" "--on-masked-row error"; do
    unread $lesson "softmax, attention" $option
  done
  unread $lesson "multihead, block" --heads 2
  unread $lesson cross --memory file.csv
  for option in "--d-ff 3" "--norm standard" --norm-first --norm-last; do unread $lesson block $option; done
  unread $lesson "embed, multihead, block" --dropout 0.5
  for option in "--labels 1,2" "--smoothing 0.1" "--pad-id 0"; do unread $lesson loss $option; done
  unread $lesson "lookup, words" --grad
  shows_match "check refuses too: $lesson" 2 "has no use for $lesson" --lang en check $lesson file.csv --pad 1
  shows_match "in Chinese: $lesson" 2 "--pad 对 $lesson 没有用 它用于 softmax" --lang zh break $lesson --pad 1
  shows_match "$lesson takes a seed" 0 "lesson 1[67]" --lang en break $lesson --seed 7 --pad 0
done
for option in "--text a" "--words file.csv" "--x file.csv" "--tutorial happy-llm" "--weights file.npz" "--d-model 4" \
  "--batch 2" "--n-q 3" "--n-k 3" "--d-k 3" "--d-v 3" "--init he"; do
  unread decode lookup $option
done
unread cache "loss, decode" --logits file.csv
for option in "--temperature 2" "--top-k 3" "--top-p 0.5"; do unread cache decode $option; done
shows_match "decode has one row of logits" 2 "2 rows of logits" --lang en break decode --logits file.csv
shows_match "the cache reads tokens and sizes" 0 "lesson 17" --lang en break cache --text "a b c" --d-model 6 --d-k 4 --d-v 5

# Whatever the sizes, a mistake that does not fit stops with names and shapes.
shows_match "a wrong axis has no way back" 0 'row_sum' --lang en break softmax --grad
shows_match "gradients of queries for memory" 0 'it stops at' --lang en break cross --grad
shows_match "more padding than a mistake has keys" 0 'cross.kv_from_decoder' --lang en break cross --pad 3 --text "a b"

run break softmax --with softmax.no_scale --json
check "one mistake as JSON" balanced <"$work/out"
for pattern in '"mistake": "softmax.no_scale"' '"stops": null' '"right":\[\[' '"name":"shapes","holds":true' '"holds":false'; do
  check "it has $pattern" grep -Eq -- "$pattern" "$work/out"
done

run break softmax --with softmax.no_scale --json
cp "$work/out" one.json
run break softmax --with softmax.no_scale --save saved.json
check "the JSON is saved" cmp one.json saved.json
run break softmax --lang en --all --causal --save page.html
check "a page says what was typed" grep -qF '<code>tfx break softmax --all --causal</code>' page.html
run --lang en --width 40 break softmax --with softmax.wrong_axis
check "a title fits a narrow screen" test "$(head -2 "$work/out" | wc -L)" -le 40
run break softmax --with softmax.wrong_axis --precision 8 --save digits.html
check "the numbers of a page have the digits asked for" grep -q 'q1  0.23608986 ' digits.html
shows_match "a page has another ending than an array" 2 'end the name in \.html or \.json' --lang en break softmax --save page.npz
check "it has each mistake's words in both languages" test "$(grep -c 'Row sums are right, but scaled is √d_k' page.html) $(grep -c '行和是对的，但 scaled 是应有的 √d_k 倍' page.html)" = "1 1"
run break softmax --with softmax.twice --save page.html --seed 7
check "right and wrong stand in the page" grep -qE '<pre>.*weights +wrong|^weights  right +weights  wrong' page.html

finish
