#!/usr/bin/env bash
# tfx params: its totals, its JSON, its refusals, its widths.
#   tests/cli/params.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

presets=(toy tiny small base copy-task annotated attention-block transformer-base transformer-big bert-base bert-large gpt2 gpt2-medium
  gpt2-large gpt2-xl llama-7b resnet18)

command=(params)

for preset in "${presets[@]}"; do
  for width in 40 80 200; do
    run params "$preset" --width "$width" --ascii --lang en # a byte is a column
    check "$preset at $width columns" test "$status" = 0 -a -s "$work/out"
    widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
    check "$preset stays within $width columns" test "$widest" -le "$width"
  done
  if LC_ALL=C grep -q '[^ -~]' "$work/out"; then not_ok "$preset --ascii" "other characters"; else ok "$preset --ascii"; fi
done
for by in module layer tensor; do shows "--by $by" 0 "59,510,544" annotated --vocab 10000 --by "$by"; done
shows "gpt2's total" 0 "124,439,808" gpt2
shows "a shape of one's own" 0 "total" --layers 2 --d-model 64 --heads 4 --src-vocab 100 --tgt-vocab 90
shows "several side by side" 0 "1,557,611,200" gpt2 gpt2-xl bert-base
shows "f16 halves the weights" 0 "weights 249 MB" gpt2 --dtype f16
"$tfx" model --preset toy --save-weights toy.safetensors >/dev/null
shows "a file" 0 "what a model holds" toy.safetensors
shows "a file beside a preset" 0 "toy.safetensors" toy.safetensors gpt2
"$tfx" params gpt2 --no-time --json >"$work/json"
check "the total at the top" grep -q '^  "total": 124439808,$' "$work/json"
check "exact integers" grep -q '"macs":16114089984,' "$work/json"

shows "a shipped model" 0 "generator" numbers-zh

# --- a row in 8 bits -------------------------------------------------------------------------------------------------

# numbers KEY: of the row in the JSON, one a line.
numbers() { grep '^  "int8"' "$work/out" | grep -o "\"$1\":[^,}]*" | cut -d: -f2; }

shows "a row in 8 bits" 0 "Row 3: max |w| = " numbers-zh --int8 generator.proj.weight --row 3
shows "and its check" 0 "no number of the matrix is farther off" numbers-zh --int8 generator.proj.weight
run params numbers-zh --int8 generator.proj.weight --row 3 --json
check "as many numbers as the row is long" test "$(numbers weight | wc -l)" = 80
check "q is w / scale, rounded, q·scale is held, and the error what is between" awk -v scale="$(numbers scale)" '
  BEGIN { step = scale / 2 * 1.0001 }
  { wrong += ($2 - $1 / scale) ^ 2 > 0.25003 || ($3 - $2 * scale) ^ 2 > 1e-14 || ($4 - ($3 - $1)) ^ 2 > 1e-16 || $4 > step || -$4 > step }
  END { exit !(NR == 80 && wrong == 0) }' <(paste <(numbers weight) <(numbers q) <(numbers held) <(numbers error))
check "19 rows of 80 numbers, and their scales" test "$(numbers bytes | tr '\n' ' ')" = "6080 3040 1596 "
run params toy.safetensors --int8 generator.proj.weight --json
check "of one's own file" test "$(numbers weight | wc -l)" = 8
shows "what has no numbers" 2 "gpt2 is counted from its sizes" gpt2 --int8 wte.weight
shows "nor has the default" 2 "annotated is counted from its sizes" --int8 generator.proj.weight
shows "a mistyped matrix" 2 "did you mean generator.proj.weight" numbers-zh --int8 generator.proj.wieght
shows "a vector is no matrix" 2 'has no matrix "generator.proj.bias"' numbers-zh --int8 generator.proj.bias
shows "a row beyond the last" 2 "--row takes" numbers-zh --int8 generator.proj.weight --row 19
shows "--row alone" 2 "--row" numbers-zh --row 1
shows "one model at a time" 2 "contradict" numbers-zh reverse --int8 generator.proj.weight
printf '1e39,1\n2,3\n' >huge.csv
"$tfx" scores --x huge.csv --quiet --save huge.npz >/dev/null 2>&1
shows "what a float cannot hold" 65 "infinite or NaN" huge.npz --int8 X

shows "a near miss" 2 "did you mean gpt2" gpt3
shows "an unknown model" 2 "attention-block" nonsense
shows "no such file" 66 "gone.npz" gone.npz
shows "heads divide the width" 2 "5 heads do not divide d_model 512" --heads 5
shows "a sequence beyond the context" 2 "more than gpt2 can read: 1024" gpt2 --seq 1025
shows "a target beyond the context" 2 "--tgt-seq 6000" --tgt-seq 6000
shows "an option without use" 2 "--seq has no use for resnet18" resnet18 --seq 5
shows "an option beside a file" 2 "--layers has no use" toy.safetensors --layers 2
shows "tied needs one vocabulary" 2 "--tied needs one vocabulary" --tied --src-vocab 5
shows "an overflow" 71 "a count of about" --d-model 1000000000 --heads 1 --vocab 1000000000 --layers 1000 --batch 1000000000
for number in -5 010 nan 1e99 3x 0; do shows "--batch $number" 2 "--batch takes a whole number" gpt2 --batch "$number"; done

finish
