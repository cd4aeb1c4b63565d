#!/usr/bin/env bash
# tfx lens, seen from outside: its pages on shipped models and on one made here, of both families and both places of the
# norm; parts left out and patched; refusals.
#   tests/cli/lens.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

run model --preset toy --vocab 11 --norm-last --save-weights "$work/last.safetensors" --src 1,2,3 --tgt 1,2 --quiet
check "a model whose norms stand behind is made" test $status = 0
run model --preset toy --layers 7 --vocab 11 --save-weights "$work/deep.safetensors" --src 1,2,3 --tgt 1,2 --quiet
check "a deep one is made" test $status = 0

for language in en zh; do
  for model in "" "--model reverse" "--model numbers-zh" "--model microgpt" "--model en-zh --text save" \
    "--model $work/last.safetensors --text 3,1,4" "--model $work/deep.safetensors --text 3,1,4 --place 1"; do
    for page in "" sum change; do
      # shellcheck disable=SC2086 # options are words
      run lens $page $model --no-time --lang $language --width 80
      check "tfx lens $page ${model//$work\//} runs ($language)" test $status = 0
      check "no row of it is wider ($language)" test -z "$(sed "s/^/80\t/" "$work/out" | too_wide)"
      [[ $model != */* ]] || continue # whose name takes rows of its own
      check "at most 60 rows ($language)" test "$(wc -l <"$work/out")" -le 60
    done
  done
done

shows "why 红 and not 蓝" 0 '“红”' lens --lang en
shows "a term is a product" 0 'parts[tgt_embed, :]·direction' explain lens read tgt_embed 0 --lang en
shows "and goes back to the words" 0 'decoder.layers.1.src_attn.W_O_heads' explain lens parts decoder.layers.1.src_attn.head.1 0 --depth 2 --lang en
shows "another token" 0 '“绿”' lens --token 绿 --lang en
shows "a part is left out" 0 '--without  decoder.layers.1.src_attn' lens change --without decoder.layers.1.src_attn --lang en
shows "a part is patched" 0 '--patch   memory' lens change --patch memory --lang zh
shows "how many norms are held" 0 '(7)' lens --model "$work/last.safetensors" --text 3,1,4 --lang en
shows "the code" 0 'head_rows' code lens --in torch --lang en
shows "a mistake" 0 'terms do not add up' break lens --with lens.no_gain --lang en

shows "patches need another text" 2 '--from' lens --model reverse --patch memory --lang en
shows "a part is left out or patched" 2 'both --without and --patch' lens --without memory --patch memory --lang en
shows "a model without a last norm" 0 '(--show asked)' lens sum --model microgpt --text emma --lang en
shows "of as many tokens" 2 '4 个' lens --model reverse --text star --from start --patch memory --lang zh
shows "a part that is none" 2 'no part' lens --without decoder.layers.9 --lang en
shows "a token that is none" 2 'no token' lens --model reverse --token Ω --lang en
shows "the token itself" 2 '差会是 0' lens --model reverse --token a --against a --lang zh
shows "a place behind the answer" 2 '--place' lens --place 99 --lang en
shows "two lengths of a decoder alone" 2 'same places' lens --model microgpt --text emma --from ann --lang en
shows "a text that is too long" 2 'reads at most' lens --model microgpt --text abcdefghijklmnopqrst --lang en
finish
