#!/usr/bin/env bash
# tfx rope, seen from outside: its pages, own words and sizes, a model that was trained here, what is refused.
#   tests/cli/rope.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

train_llama

for language in en zh; do
  for arguments in "" waves pairs "--rotary halves" "--rotary-base 500000" "--d-k 2" "--n-q 40" "--d-model 64 --d-k 64" \
    "--model $work/llama.safetensors" "waves --model $work/llama.safetensors" "pairs --model $work/llama.safetensors"; do
    # shellcheck disable=SC2086 # options are words
    run rope $arguments --no-time --lang $language --width 80
    check "tfx rope ${arguments//$work\//} runs ($language)" test $status = 0
    check "no row of it is wider ($language)" test -z "$(sed "s/^/80\t/" "$work/out" | too_wide)"
  done
  for page in "" waves pairs; do
    # shellcheck disable=SC2086
    run rope $page --no-time --lang $language --width 80
    check "rope $page: at most 60 rows ($language)" test "$(wc -l <"$work/out")" -le 60
  done
done

shows "a cell is a turn" 0 "·cos(1) - " explain rope Q_turned I 0 --lang en
shows "the score is the same further on" 0 '+1000' rope --lang en
shows "own words" 0 'sat' rope --text 'the cat sat' --no-time --lang en
shows "a Chinese text" 0 '眠' rope --text 春眠不觉晓 --no-time --lang zh
shows "a batch" 0 '3×2×2' rope --batch 3 --n-q 2 --full --no-time --lang en
shows "one pair has one way" 0 'both ways are the same' rope pairs --d-k 2 --no-time --lang en
shows "the trained model's own pairs" 0 "Hugging Face’s way" rope pairs --model "$work/llama.safetensors" --no-time --lang en
shows "its layer and head" 0 'decoder.layers.0.self_attn' rope --model "$work/llama.safetensors" --layer 0 --head 3 --no-time --lang en
shows "turned the other way" 0 "paper’s way" rope pairs --model "$work/llama.safetensors" --rotary neighbours --no-time --lang en
shows "gpt leads to it with the model" 0 "tfx rope --model" gpt --model "$work/llama.safetensors" --no-time --lang en
shows "but not with one that does not turn" 0 "tfx rope" gpt --model microgpt --no-time --lang en
check "so the model is left out" test -z "$(grep 'rope --model' "$work/out")"
shows "the other pairs pass the shift" 0 'rope.halves' break rope --with rope.halves --lang en

shows "an odd width is refused" 2 'columns turn in pairs' rope --d-k 3 --lang en
shows "in Chinese" 2 '两两配对' rope --d-k 3 --lang zh
shows "a shipped model does not turn" 2 'rotary positions' rope --model en-zh --lang en
shows "nor does microgpt" 2 '旋转位置编码' rope --model microgpt --lang zh
shows "an unknown way" 2 'neighbours' rope --rotary thirds --lang en
printf 'a,1,2,3,nan\nb,1,2,3,4\n' >"$work/nan.csv"
shows "a number that is none" 65 'X[a, 3]' rope --words "$work/nan.csv" --lang en
shows "more scores than there is memory for" 71 'needs about' rope --n-q 1000000 --lang en
shows "a base below 1" 2 '--rotary-base' rope --rotary-base 0.5 --lang en
shows "no other lesson turns" 2 '--rotary' scores --rotary halves --lang en
shows "a layer that is not there" 2 '--layer' rope --model "$work/llama.safetensors" --layer 2 --lang en
finish
