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
