#!/usr/bin/env bash
# tfx score: a shipped model on pairs, the measures and their intervals, what it saves, refusals.
#   tests/cli/score.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

printf 'three hundred and five\t三百零五\ntwelve\t十二\none million\t一千万\nseven\t八\n' >pairs.tsv
model=(--model numbers-zh --pairs pairs.tsv)

# --- what is measured ------------------------------------------------------------------------------------------------

# number NAME MEMBER: of the JSON on stdout.
number() { sed -nE "s/.*\"$1\": \{.*\"$2\":([^,}]*).*/\1/p" "$work/out"; }

run score "${model[@]}" --json
check "half of the answers are exact" test "$status $(number exact value)" = "0 50.0"
check "the measures lie in their intervals" awk -v b="$(number bleu value)" -v l="$(number bleu low)" -v h="$(number bleu high)" 'BEGIN { exit !(0 < b && l <= b && b <= h && h <= 100) }'
check "the perplexity is e to the loss" awk -v l="$(number loss value)" -v p="$(number perplexity value)" 'BEGIN { d = exp(l) - p; exit !(d * d < 1e-12) }'
cp "$work/out" whole.json
run score "${model[@]}" --json
check "it is the same again" cmp -s whole.json "$work/out"
run score "${model[@]}" --json --seed 7 --draws 3
check "another seed moves the intervals alone" test "$(number bleu value)" = "$(sed -nE 's/.*"bleu": \{"value":([^,]*).*/\1/p' whole.json)"
cp "$work/out" seven.json
run score "${model[@]}" --json --seed 8 --draws 3
check "and moves them" test "$(grep '"loss"' seven.json)" != "$(grep '"loss"' "$work/out")"
"$tfx" score --model numbers-zh --pairs - --json <pairs.tsv >piped.json
check "pairs come from standard input" test "$(grep '"chrf":' piped.json)" = "$(grep '"chrf":' whole.json)"
run score "${model[@]}" --beam 1 --json
check "a beam of 1 is greedy" test "$(number chrf value)" = "$(sed -nE 's/.*"chrf": \{"value":([^,]*).*/\1/p' whole.json)"
shows "a beam" 0 "with a beam of 3" score "${model[@]}" --beam 3 --length-penalty 0.6
shows "the worst" 0 "line 4, chrF 0.0" score "${model[@]}" --worst 1 --lang en
check "and no other" test "$(grep -c '^line ' "$work/out")" = 1
check "with what was to be said" grep -qx 'expected 八' "$work/out"
shows "Chinese" 0 "完全匹配" score "${model[@]}" --lang zh
printf 'seven\t七\n' >right.tsv
shows "all right" 0 "exact match, %     100.00" score --model numbers-zh --pairs right.tsv --worst 3

# --- fewer bits ------------------------------------------------------------------------------------------------------

check "without --dtype nothing is said of bits" test "$(grep -c narrowing whole.json)" = 0
largest=0
for dtype in f32 bf16 int8; do
  run score "${model[@]}" --json --dtype "$dtype"
  check "as many are right in $dtype" test "$status $(number exact value)" = "0 50.0"
  check "a token reads fewer bytes in $dtype" test "$(number narrowing bytes_per_token)" -le "$(number narrowing float_bytes_per_token)"
  check "$dtype moves log p by more than the type before" awk -v was="$largest" -v is="$(number narrowing largest_difference)" 'BEGIN { exit !(is > was && is < 1) }'
  largest=$(number narrowing largest_difference)
done
# The decoder's two layers of 80 and 320 but for K and V of the memory, and 19 tokens; four bytes more a row.
check "bytes of int8" test "$(number narrowing bytes_per_token)" = $((2 * (6 * 80 * 80 + 2 * 80 * 320) + 80 * 19 + 4 * (2 * (7 * 80 + 320) + 19)))
check "and of floats" test "$(number narrowing float_bytes_per_token)" = $((4 * (2 * (6 * 80 * 80 + 2 * 80 * 320) + 80 * 19)))
check "the loss is that of the rounded weights" test "$(grep '"loss"' "$work/out")" != "$(grep '"loss"' whole.json)"
shows "bits are told in Chinese" 0 "log p 与双精度的模型相比最多差" score "${model[@]}" --dtype bf16 --lang zh
shows "a beam in fewer bits" 0 "--dtype int8: a token reads" score "${model[@]}" --dtype int8 --beam 2 --lang en
shows "there is no other type" 2 "int4" score "${model[@]}" --dtype int4 --lang en

# --- what is saved ---------------------------------------------------------------------------------------------------

printf 'two\t二,二"\n' >quotes.tsv
run score --model reverse --pairs right.tsv
check "a token that the model does not know is refused with its line" test "$status" = 65
printf 'a b\tb "a,\nab\tba\n' >own.tsv
run train --pairs own.tsv --steps 2 --batch 2 --threads 1 --d-model 8 --heads 2 --d-ff 8 --layers 1 --quiet --out own.safetensors
run score --model own.safetensors --pairs own.tsv --save answers.csv
check "a csv is quoted" grep -q '^a b,"b ""a,",' answers.csv
run score --model own.safetensors --pairs own.tsv --save answers.tsv
check "a tsv is not" grep -q $'^a b\tb "a,\t' answers.tsv
check "a row a pair, and the heading" test "$(wc -l <answers.tsv)" = 3
run score "${model[@]}" --worst 1 --save page.html
check "the page is saved" test "$status" = 0 -a "$(grep -c '完全匹配（%）' page.html)" -gt 0 -a "$(grep -c 'exact match, %' page.html)" -gt 0
check "with the command that gives it" grep -qF 'tfx score --model numbers-zh --pairs pairs.tsv --worst 1<' page.html
check "and does not say that the answers are there" test "$(grep -c 'page.html' "$work/out")" = 0
shows "where the answers are" 0 "The answers are in answers.tsv" score "${model[@]}" --save answers.tsv --lang en
run score "${model[@]}" --worst 1 --save page.json
"$tfx" score "${model[@]}" --worst 1 --json >page.stdout
check "and its numbers" cmp -s page.json page.stdout
printf 'a q\tb a\n' >unknown.tsv
shows "unknown tokens are counted" 0 "In 1 of the pairs" score --model own.safetensors --pairs unknown.tsv

# --- refusals --------------------------------------------------------------------------------------------------------

# refused STATUS TEXT ARGUMENT…
refused() {
  local wanted=$1 text=$2
  shift 2
  run score "$@"
  if ((status == wanted)) && grep -qF -- "$text" "$work/err"; then ok "score $*"; else not_ok "score $*" "status $status: $(head -c 300 "$work/err")"; fi
}
printf 'one\n' >no_tab.tsv
printf 'one\t一\nelephant\t一\n' >elephant.tsv
yes one | head -n 9000 | paste -sd ' ' | sed 's/$/\t一/' >long.tsv
refused 2 'score needs pairs' --model numbers-zh
refused 2 'score needs a trained model' --pairs pairs.tsv
refused 65 'no TAB' --model numbers-zh --pairs no_tab.tsv
refused 65 'elephant.tsv, line 2: "elephant" is not in the vocabulary' --model numbers-zh --pairs elephant.tsv
refused 65 'long.tsv, line 1: the source has 9000 tokens' --model numbers-zh --pairs long.tsv
refused 66 'nothing.tsv' --model numbers-zh --pairs nothing.tsv
refused 2 'no trained model "number-zh"' --model number-zh --pairs pairs.tsv
refused 2 'answers.npz' "${model[@]}" --save answers.npz
refused 2 'would write over pairs.tsv' "${model[@]}" --save ./pairs.tsv
refused 73 'folder' "${model[@]}" --save folder/answers.csv
refused 2 'end the name in .html or .json' --model own.safetensors --corpus pairs.tsv --save a.csv
refused 2 '--length-penalty' "${model[@]}" --length-penalty 1
refused 2 '--text' "${model[@]}" --text one

finish
