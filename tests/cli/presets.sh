#!/usr/bin/env bash
# One preset is one model: tfx model, train and params count the same parameters, and each says with which vocabulary.
#   tests/cli/presets.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# parameters_of ARGUMENT…: the number on the line of the cost, with the vocabularies it was counted with.
parameters_of() {
  "$tfx" "$@" --lang en --width 200 | sed -nE 's/^cost +parameters ([0-9,]+) \(([^)]*)\).*/\1 with \2/p'
}

for preset in toy tiny small base copy-task annotated; do
  model=$(parameters_of model --preset "$preset")
  check "$preset: tfx model counts something" test "${model#* with }" = "vocabularies 11 and 11"
  check "$preset: tfx params at 11" test "$(parameters_of params "$preset" --vocab 11)" = "${model% with *} with V = 11"
  check "$preset: and without a word of it" test "$(parameters_of params "$preset")" = "${model% with *} with V = 11"
done

quick=(--preset tiny --steps 1 --batch 2 --held-out 0 --threads 1 --quiet)
check "tiny: tfx train" test "$(parameters_of train "${quick[@]}")" = "$(parameters_of model --preset tiny)"
letters=$(parameters_of train --task reverse "${quick[@]}")
vocabulary=${letters##* }
check "the vocabulary is the task's" test "$vocabulary" != 11
check "tiny: another task's" test "$(parameters_of params tiny --vocab "$vocabulary")" = "${letters% with *} with V = $vocabulary"
check "and tfx model with it" test "$(parameters_of model --preset tiny --vocab "$vocabulary")" = "$letters"

shows "a count says whose vocabulary it has" 0 "11 ids are the copy task's vocabulary" params annotated --lang en
shows "in Chinese" 0 "11 个编号是 copy 任务的词表" params annotated --lang zh
shows "another vocabulary is no task's" 0 "（V = 10000）" params annotated --vocab 10000 --lang zh
run params annotated --vocab 10000 --lang en
check "nor is it said to be" test "$(grep -c 'copy task' "$work/out")" = 0
shows "two vocabularies" 0 "(S = 7, T = 9)" params tiny --src-vocab 7 --tgt-vocab 9 --lang en
shows "a published model has its own" 0 "(V = 30522)" params bert-base --lang en
shows "side by side each names its own" 0 "Counted with gpt2: V = 50257; annotated: V = 11." params gpt2 annotated resnet18 --lang en --width 200
shows "in Chinese" 0 "gpt2：V = 50257；annotated：V = 11" params gpt2 annotated resnet18 --lang zh --width 200
run params gpt2 resnet18 --json
check "JSON too" grep -q '"src_vocab": *50257' "$work/out"
check "and null of images" grep -q '"src_vocab": *null' "$work/out"
shows "a training" 0 "235,851 parameters with vocabularies 11 and 11" train "${quick[@]}" --lang en --width 200
shows "in Chinese" 0 "词表 11 与 11 时共 235,851 个参数" train "${quick[@]}" --lang zh --width 200

check "what is drawn is the toy, unless asked otherwise" test "$(parameters_of model --seed 42)" = "$(parameters_of model --preset toy)"
run explain model src_embed 0 0 --depth 0 --src 1,2 --tgt 1
cp "$work/out" "$work/usual"
run explain model src_embed 0 0 --depth 0 --preset toy --src 1,2 --tgt 1
check "tfx explain model too" cmp -s "$work/usual" "$work/out"

finish
