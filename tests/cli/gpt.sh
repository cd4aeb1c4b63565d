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
