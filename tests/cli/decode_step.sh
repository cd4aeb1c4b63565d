#!/usr/bin/env bash
# tfx decode step and tfx cache step: the pages of decode and cache, and what every lesson has of them, behind the
# commands that show a trained model.
#   tests/cli/decode_step.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

shows "the page of decode" 0 "lesson 16" decode step --lang en
shows "greedy and the draw" 0 "Greedy takes 百" decode step --lang en
shows "what each strategy cuts" 0 "argmax  │--" decode step --show strategies --lang en
shows "as bars first" 0 "greedy       k = 5        p = 0.9      T, k, p" decode step --lang en
shows "which strategy when" 0 "greedy takes the best: one right answer" decode step --lang en
shows "in Chinese" 0 "贪心（greedy）取最可能的" decode step --lang zh
shows "another temperature" 0 "= logits/2" decode step --temperature 2 --full --lang en
shows "another k" 0 "≤ 3]" decode step --top-k 3 --full --lang en
shows "another p" 0 "< 0.5]" decode step --top-p 0.5 --full --lang en
printf '2,1,0,1.5\n' >logits.csv
shows "own logits" 0 "your own input" decode step --logits logits.csv --lang en
printf '2,1\n0,1\n' >two.csv
shows "one row of them" 2 "2 rows of logits" decode step --logits two.csv --lang en
shows "and so in Chinese" 2 "2 行 logits" decode step --logits two.csv --lang zh
# Rows without a softmax: refused before anything is sorted.
refuses_logits() { # NAME ROW TEXT OPTION…
  local name=$1 row=$2 text=$3
  shift 3
  printf '%s\n' "$row" >row.csv
  shows "$name" 65 "$text" decode step --logits row.csv --lang en "$@"
}
refuses_logits "nothing but -inf" "-inf,-inf,-inf" "every logit is −inf"
refuses_logits "logits that the temperature makes infinite" "1e308,-1e308,0" "over the temperature 0.5" --temperature 0.5
refuses_logits "downwards too" "0,-1e308,1" "over the temperature 0.001" --temperature 0.001
refuses_logits "NaN" "nan,1" "NaN"
refuses_logits "+inf" "inf,1" "+inf"
for row in "-inf,2,1" "1e308,-1e308,0" "-1e308,-1e308" "0"; do
  printf '%s\n' "$row" >row.csv
  shows "$row has an answer" 0 "lesson 16" decode step --logits row.csv --temperature 1 --lang en
  shows "$row, the sharpest draw" 0 "lesson 16" decode step --logits row.csv --temperature 1 --top-k 1 --top-p 0.001 --lang en
done
shows "words are for a model" 2 "--text has a use only with --model" decode step --text "a b" --lang en
shows "an engine's option is named" 2 "--beam" decode step --beam 2 --lang en
shows "tfx decode still decodes" 0 "noitnetta" decode --lang en
shows "and takes no other word" 2 "stop" decode stop --lang en

shows "a cell" 0 "0.328 ≤ 0.3745 < 0.6167 ⇒ 1" explain decode taken 0 2 --lang en
shows "what stands before" 0 "0.263 + 0.2989" explain decode before 0 7 --lang en
shows "its code" 0 "torch.multinomial" code decode --lang en
shows "its mistakes" 0 "decode.top_p_unsorted" break decode --lang en
shows "its questions" 1 "tfx decode" quiz decode --lang en
shows "asked first" 0 "The order stays" decode step --step --lang en

shows "the page of cache" 0 "lesson 17" cache step --lang en
shows "is this the KV cache?" 0 "This is the KV cache" cache step --lang en
shows "in Chinese" 0 "这就是 KV 缓存" cache step --lang zh
shows "own words" 0 "tokens of your text: 3" cache step --text "the cat sat" --lang en
shows "one token" 0 "lesson 17" cache step --text "cat" --lang en
shows "its models" 0 "llama-7b" cache step --lang en
shows "what is read again and what computed" 0 "you    ░░░░░░░░░░░░░░░░░░██████       80  ████████████████████████       320" cache step --lang en
shows "in ASCII" 0 "like   ............######" cache step --ascii --lang en
shows "tfx cache still counts" 0 "MAC executed" cache --lang en
shows "a step as arithmetic" 0 "·keys[" explain cache scores 2 0 1 --depth 2 --lang en
shows "its code" 0 "np.vstack" code cache --lang en
shows "its mistakes" 0 "cache.values_not_kept" break cache --lang en
shows "its questions" 1 "tfx cache" quiz cache --lang en

for lesson in decode cache; do
  for kind in npz json html; do
    shows "$lesson --save .$kind" 0 "" "$lesson" step --quiet --save "$lesson.$kind" --lang en
    check "$lesson.$kind is there" test -s "$lesson.$kind"
  done
  check "the document begins with the picture" grep -q '██' "$lesson.html"
  shows "$lesson: a right array" 0 "✓" check $lesson $lesson.npz --lang en
  run complete $lesson s
  check "completion offers step behind $lesson" grep -q '^step' "$work/out"
done
run decode step --json --no-time
check "JSON" grep -q '"name":"probs_p"' "$work/out"
run cache step --show output --lang en
check "--show shows it alone" test "$(grep -c "queries" "$work/out")" = 0
finish
