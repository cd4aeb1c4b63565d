#!/usr/bin/env bash
# tfx gpt, seen from outside: both runs, explanations to the character, mistakes, what is refused, and with TFX_NAMES=names.txt
# the shipped model beside a training of its own.
#   tests/cli/gpt.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

for language in en zh; do
  for arguments in "" "--tutorial microgpt" "--text emma"; do
    # shellcheck disable=SC2086 # options are words
    run gpt $arguments --no-time --lang $language --width 80
    check "tfx gpt $arguments runs ($language)" test $status = 0
    check "on at most 60 rows ($language)" test "$(wc -l <"$work/out")" -le 60
    check "none of them wider ($language)" test -z "$(sed "s/^/80\t/" "$work/out" | too_wide)"
  done
done
shows "the first losses are the blog's" 0 "all 13 losses are the blog's" gpt --tutorial microgpt --full --no-time --lang en
shows "and its loss" 0 "the loss is the blog's 3.3660" gpt --tutorial microgpt --full --no-time --lang en
shows "a cell is explained to the character" 0 'tgt[y] = 24' explain gpt tgt_embed.sum 1 0 --tutorial microgpt --depth 3 --lang en
shows "a gradient is arithmetic too" 0 'dlogits' explain gpt d.generator.proj.weight 24 0 --tutorial microgpt --grad --lang en
shows "a mistake is made" 0 'moves the rows before it' break gpt --with gpt.no_mask --lang en
shows "an encoder-decoder is refused" 2 'has an encoder' gpt --model reverse --lang en
shows "a text beyond the context is refused" 2 '17 tokens' gpt --text abcdefghijklmnop --lang en
shows "a letter that it does not know is refused" 2 '--text' gpt --text 'Emma!' --lang en
shows "another tutorial is refused" 2 'microgpt' gpt --tutorial happy-llm --lang en
shows "the cache on its numbers" 0 'microgpt reads “anna”' cache step --model microgpt --no-time --lang en
shows "params counts it" 0 '4,192' params microgpt --no-time --lang en

shows "a step of decoding behind its text" 0 'microgpt reads “ann”' decode step --model microgpt --text ann --no-time --lang en
shows "in Chinese" 0 '训练好的模型 microgpt' decode step --model microgpt --no-time --lang zh
shows "greedy's own end" 0 'Greedy begins with n and ends at n<s>' decode step --model microgpt --text emma --full --no-time --lang en
shows "a logit goes back to the embedding" 0 'tgt_embed.0.lut.weight' explain decode logits 0 e --model microgpt --depth 20 --lang en
shows "another temperature" 0 '= logits/2' decode step --model microgpt --temperature 2 --full --no-time --lang en
shows "a full context has one token to come" 0 'lesson 16' decode step --model microgpt --text abcdefghijklmno --no-time --lang en
shows "its mistakes" 0 'decode.top_p_unsorted' break decode --model microgpt --lang en
shows "an encoder-decoder has no logits behind a text" 2 'has an encoder' decode step --model reverse --lang en
shows "what the model gives is not given" 2 '--logits does not apply' decode step --model microgpt --logits x.csv --lang en
shows "what follows takes the model too" 0 'tfx cache step --model microgpt' decode step --model microgpt --no-time --lang en

shows "each count as a product" 0 '16·64' explain params total --model microgpt --depth 3 --lang en
shows "the page of the counts" 0 'every check holds' params count --model microgpt --no-time --lang en
shows "in Chinese" 0 '一层里、层以外各有几份' params count --model microgpt --no-time --lang zh
shows "as many as params has" 0 '4192 parameters' params count --model microgpt --full --no-time --lang en
shows "a shorter sequence" 0 'n = 5' params count --model microgpt --seq 5 --no-time --lang en
shows "no more than it reads" 2 'from 1 to 16' params count --model microgpt --seq 17 --lang en
shows "its sizes are its own" 2 '--layers does not apply' params count --model microgpt --layers 2 --lang en
shows "an encoder-decoder is counted by params" 2 'has an encoder' params count --model reverse --lang en
shows "its mistakes" 0 'count.per_head' break params --model microgpt --lang en

for lesson in "train step" loss; do
  # shellcheck disable=SC2086 # a command is words
  shows "$lesson says where a decoder's gradients are" 2 'tfx gpt --model microgpt --grad' $lesson --model microgpt --lang en
  # shellcheck disable=SC2086
  shows "$lesson in Chinese" 2 '自己的小模型' $lesson --model microgpt --lang zh
done

if [[ -n ${TFX_NAMES:-} ]]; then
  run train --preset microgpt --corpus "$TFX_NAMES" --weights-out "$work/again.safetensors" --no-time
  check "the shipped microgpt is a training of its own" cmp -s "$work/again.safetensors" "$root/data/models/microgpt.safetensors"
fi
run gpt --save page.html --quiet
check "a page for the browser has both tables, in both languages" grep -q "sines and cosines, added.*正弦余弦" page.html
shows "a tutorial has its own text" 2 "--tutorial and --text" gpt --tutorial microgpt --text anna --lang en
printf "ab\n\nba\n" >ab.txt
run train --corpus ab.txt --layers 1 --d-model 8 --d-ff 8 --heads 2 --context 8 --steps 1 --quiet --out layers.safetensors
shows "a decoder with LayerNorm and biases is accused of nothing but what is wrong" 0 "" break gpt --with gpt.not_shifted --model layers.safetensors --lang en
check "of its norms it is not" test -z "$(grep -a "✗.*twice as long\|✗.*stream\|✗.*row 0" "$work/out")"
finish
