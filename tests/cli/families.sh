#!/usr/bin/env bash
# tfx model of a decoder or an encoder alone: what is drawn, read and refused.
#   tests/cli/families.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

shows "a decoder alone" 0 "a decoder alone, as GPT" model --family decoder --no-time --lang en
shows "in Chinese" 0 "只有解码器，如 GPT" model --family decoder --no-time --lang zh
check "without a source" test -z "$(grep -a 'src_attn\|memory' "$work/out")"
shows "an encoder alone" 0 "an encoder alone, as BERT" model --family encoder --no-time --lang en
shows "in Chinese" 0 "只有编码器，如 BERT" model --family encoder --no-time --lang zh
check "without an answer" test -z "$(grep -a 'log_probs' "$work/out")"
llama=(--family decoder --norm rms --positions rotary --kv-heads 1 --activation silu --gated --no-bias --tied)
shows "Llama's choices, counted as they stand" 0 "multiply-adds: executed = by formula" model "${llama[@]}" --no-time --quiet --lang en
shows "with the formula of each" 0 "x ← x + (silu(norm(x)·W_1) ⊙ (norm(x)·W_3))·W_2" model decoder "${llama[@]}" --no-time --lang en
shows "and which heads share keys and values" 0 "The 2 heads of queries share 1 of keys and values" model "${llama[@]}" --no-time --lang en
shows "in Chinese" 0 "2 个查询头合用 1 组键和值" model "${llama[@]}" --no-time --lang zh
shows "turned by their places" 0 "softmax(mask(rot(Q)·rot(K)ᵀ/√4))·V" model decoder "${llama[@]}" --no-time --lang en
shows "0 is a token" 0 "tgt 0 0 1" model --family decoder --tgt 0,0,1 --no-time --lang en
shows "a batch of one length" 0 "2×3×8" model --family decoder --tgt "0,1,2;3,4,5" --no-time --lang en
shows "rows of other lengths need padding" 2 "--pad-id N" model --family decoder --tgt "1,2;3" --lang en
shows "in Chinese" 2 "--pad-id N" model --family decoder --tgt "1,2;3" --lang zh
shows "which is asked for" 0 "2×2×8" model --family decoder --tgt "1,2;3" --pad-id 0 --no-time --lang en
shows "the loss and every gradient" 0 "along one random direction" model "${llama[@]}" --tgt 0,1,2 --labels 1,2,0 --grad --quiet --dtype f64 --lang en
shows "words are not drawn: ids of its own side" 2 "give ids: --tgt 1,2,3" model --family decoder --text hi --lang en
shows "a decoder has no source" 2 "--tgt \"1,2\"" model --family decoder --src 1,2 --lang en
shows "an encoder no target" 2 "--src \"1\"" model --family encoder --tgt 1 --lang en
shows "and no labels" 2 "of family encoder" model --family encoder --src 1 --labels 1 --lang en
shows "an id beyond the vocabulary" 2 "the vocabulary has 11" model --family decoder --tgt 11 --lang en
shows "heads that do not share" 2 "3 heads of keys and values evenly" model --family decoder --kv-heads 3 --lang en
shows "an odd head cannot turn" 2 "must be even" model --family decoder --positions rotary --heads 8 --lang en

# --- files of other programs ----------------------------------------------------------------------------------------------

of() { echo "--weights $families/$1.safetensors --config $families/$1.config.json --tgt 0,1,2,3"; }
families=$root/data/reference/families
# shellcheck disable=SC2046 # a list of options
for name in gpt2 llama; do
  shows "$name" 0 "a decoder alone, as GPT" model $(of "$name") --no-time --lang en
  shows "its parameters as they are counted" 0 "multiply-adds: executed = by formula" model $(of "$name") --quiet --lang en
  run model $(of "$name") --save-weights "$work/again.safetensors" --quiet
  run model $(of "$name") --show logits --json --no-time
  cp "$work/out" "$work/came"
  run model --weights "$work/again.safetensors" --config "$families/$name.config.json" --tgt 0,1,2,3 --show logits --json --no-time
  check "written back as it came, it says the same" test "$(grep -o '"data":.*' "$work/came")" = "$(grep -o '"data":.*' "$work/out")"
done
sed 's/"llama"/"mistral"/; s/"rope_scaling"/"sliding_window": 2, &/' "$families/llama.config.json" >"$work/window.json"
shows "a window is said" 0 "A token sees 2 tokens at most" model --weights "$families/llama.safetensors" --config "$work/window.json" --tgt 0,1,2 --no-time --lang en
shows "in Chinese" 0 "一个词元最多看 2 个词元" model --weights "$families/llama.safetensors" --config "$work/window.json" --tgt 0,1,2 --no-time --lang zh
shows "heads have to be said, or shown by its config.json" 2 "--config config.json" model --weights "$families/llama.safetensors" --tgt 0,1 --lang en
shows "in Chinese" 2 "--config config.json" model --weights "$families/llama.safetensors" --tgt 0,1 --lang zh
shows "heads have to be said" 2 "how many heads" model --weights "$families/llama.safetensors" --tgt 0,1 --lang en
shows "two orientations in one file" 65 "h.0.mlp.c_fc.weight" model --weights "$families/gpt2-mixed.safetensors" --heads 2 --tgt 0,1 --lang en
shows "a text needs its merges" 2 "says no words" model --weights "$families/gpt2.safetensors" --heads 4 --text hi --lang en
printf '#version: 0.2\nl o\nlo w\n' >"$work/merges.txt"
shows "or ids, of the side that it reads" 2 "give ids: --tgt 1,2,3; or name its merges: --tokens bpe:merges.txt" model --weights "$families/gpt2.safetensors" --heads 4 --text hi --lang en
shows "a text of one's own" 0 "a decoder alone" model --weights "$families/gpt2.safetensors" --heads 4 --tokens "bpe:$work/merges.txt" --text "..." --no-time --lang en
shows "an id beyond the table" 2 "the vocabulary has 96" model --weights "$families/gpt2.safetensors" --heads 4 --tokens "bpe:$work/merges.txt" --text low --lang en
shows "whose heads no tensor shows" 2 "how many heads" model --weights "$families/gpt2.safetensors" --tgt 0,5,7 --lang en
shows "orientations mixed" 65 "is (32, 8), the model needs (8, 32)" model --weights "$families/gpt2-mixed.safetensors" --heads 2 --tgt 0,5 --lang en
shows "in Chinese" 65 "都应按 Conv1D 的方式存放" model --weights "$families/gpt2-mixed.safetensors" --heads 2 --tgt 0,5 --lang zh
for reader in decode cache scores; do
  shows "$reader asks for an encoder-decoder, and for no heads before" 65 "this is GPT-2 (N = 2), and an encoder-decoder" "$reader" --model "$families/gpt2.safetensors" --lang en
done
shows "in Chinese" 65 "GPT-2" decode --model "$families/gpt2.safetensors" --lang zh

# --- options of the side that a model does not have ------------------------------------------------------------------

shows "a decoder has no vocabulary of a source" 2 '--src-vocab: the model of family decoder has one vocabulary, --tgt-vocab' model --family decoder --src-vocab 9 --lang en
shows "an encoder none of a target" 2 '--tgt-vocab: the model of family encoder has one vocabulary, --src-vocab' model --family encoder --tgt-vocab 9 --lang en
shows "in Chinese" 2 '请写成 --tgt-vocab 9' model --family decoder --src-vocab 9 --lang zh
shows "an encoder has no generator to tie" 2 '--tied asks for the answer of an encoder-decoder' model --family encoder --tied --lang en
shows "each has its own vocabulary" 0 'vocabulary 9' model --family decoder --tgt-vocab 9 --lang en
finish
