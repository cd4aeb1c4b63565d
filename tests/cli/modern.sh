#!/usr/bin/env bash
# tfx modern, seen from outside: its pages, own words and sizes, parts as in 2017, a model trained here, refusals.
#   tests/cli/modern.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

train_llama

for language in en zh; do
  for arguments in "" depth models flash "--heads 2 --kv-heads 2" "--window 2" "flash --window 2" "--as-2017 all" "--as-2017 gate,norm" \
    "--n-q 30 --d-model 32" "--batch 2 --n-q 3" "--d-ff 1" "--d-model 6 --heads 1" "--model $work/llama.safetensors" \
    "flash --model $work/llama.safetensors"; do
    # shellcheck disable=SC2086 # options are words
    run modern $arguments --no-time --lang $language --width 80
    check "tfx modern ${arguments//$work\//} runs ($language)" test $status = 0
    check "no row of it is wider ($language)" test -z "$(sed "s/^/80\t/" "$work/out" | too_wide)"
  done
  for page in "" depth models flash; do
    # shellcheck disable=SC2086
    run modern $page --no-time --lang $language --width 80
    check "modern $page: at most 60 rows ($language)" test "$(wc -l <"$work/out")" -le 60
  done
done

shows "own words" 0 'question' modern --text 'that is the question' --no-time --lang en
shows "a cell of the gate" 0 'mlp.activated' explain modern mlp.gated cat 0 --depth 2 --lang en
shows "a layer of a trained model" 0 'decoder.layers.0' modern --model "$work/llama.safetensors" --layer 0 --no-time --lang en
shows "rope leads to it with the model" 0 'tfx modern --model' rope pairs --model "$work/llama.safetensors" --no-time --lang en
run modern --as-2017 gate --no-time --lang en --full
check "ReLU and no third matrix in 2017" grep -q 'mlp.activated .* max(mlp.hidden, 0)' "$work/out"
shows "what QK-norm does to scores" 0 'QK-norm: with gains of 1' modern --qk-norm --no-time --lang en
shows "what a window keeps" 0 '最近 2 个词元' modern --window 2 --no-time --lang zh
run inputs modern --heads 2 --kv-heads 2 --save "$work/own.npz"
run inputs modern --save "$work/given.npz"
run modern --show output --no-time --lang en
cp "$work/out" "$work/drawn"
run modern --weights "$work/given.npz" --show output --no-time --lang en
check "every parameter comes from --weights" cmp -s "$work/drawn" "$work/out"
shows "the width and the heads of keys too" 0 'W_K  8×8' modern --weights "$work/own.npz" --show W_K --no-time --lang en
shows "the first tiles of a long text and the last" 0 '…' modern flash --n-q 40 --no-time --lang en
shows "gradients on its page" 0 'central differences' modern --grad --no-time --lang en
shows "a gradient" 0 'dW_3' modern --grad --show dW_3 --no-time --lang en
shows "heads that cannot be cut" 2 'even width' modern --heads 3 --d-model 9 --lang en
shows "groups that cannot be cut" 2 '平均共用' modern --heads 4 --kv-heads 3 --lang zh
shows "a part that is none" 2 'norm, place, gate' modern --as-2017 norms --lang en
shows "a model of another block" 2 'RMSNorm' modern --model microgpt --lang en
shows "an encoder-decoder" 2 '单独解码器' modern --model en-zh --lang zh
shows "a lesson without that block" 2 '--window' block --window 2 --lang en
shows "a window of nothing" 2 '--window' modern --window 0 --lang en
finish
