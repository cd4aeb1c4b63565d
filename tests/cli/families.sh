#!/usr/bin/env bash
# tfx model of a decoder or an encoder alone: what is drawn, read and refused.
#   tests/cli/families.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
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
shows "with the formula of each" 0 "x ← x + (silu(norm(x)·W_1) ⊙ (norm(x)·W_3))·W_2" model "${llama[@]}" --no-time --lang en
shows "turned by their places" 0 "softmax(mask(rot(Q)·rot(K)ᵀ/√4))·V" model "${llama[@]}" --no-time --lang en
shows "0 is a token" 0 "tgt 0 0 1" model --family decoder --tgt 0,0,1 --no-time --lang en
shows "a batch of one length" 0 "2×3×8" model --family decoder --tgt "0,1,2;3,4,5" --no-time --lang en
shows "rows of other lengths need padding" 2 "--pad-id N" model --family decoder --tgt "1,2;3" --lang en
shows "in Chinese" 2 "--pad-id N" model --family decoder --tgt "1,2;3" --lang zh
shows "which is asked for" 0 "2×2×8" model --family decoder --tgt "1,2;3" --pad-id 0 --no-time --lang en
shows "the loss and every gradient" 0 "along one random direction" model "${llama[@]}" --tgt 0,1,2 --labels 1,2,0 --grad --quiet --dtype f64 --lang en
shows "a decoder has no source" 2 "--tgt \"1,2\"" model --family decoder --src 1,2 --lang en
shows "an encoder no target" 2 "--src \"1\"" model --family encoder --tgt 1 --lang en
shows "and no labels" 2 "of family encoder" model --family encoder --src 1 --labels 1 --lang en
shows "an id beyond the vocabulary" 2 "the vocabulary has 11" model --family decoder --tgt 11 --lang en
shows "heads that do not share" 65 "3 heads of keys and values evenly" model --family decoder --kv-heads 3 --lang en
shows "an odd head cannot turn" 65 "must be even" model --family decoder --positions rotary --heads 8 --lang en
