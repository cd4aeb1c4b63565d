#!/usr/bin/env bash
# tfx params count: the lesson's page, and what every lesson has of it, behind the command that counts models.
#   tests/cli/params_count.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

shows "the page" 0 "lesson 18" params count --lang en
shows "its total" 0 "44157451" params count --lang en
shows "in Chinese" 0 "只占全部参数的" params count --lang zh
shows "tfx params counts as before" 0 "44,157,451" params --lang en
shows "and leads to the page" 0 "tfx params count" params --lang en
shows "own sizes" 0 "N = 2 layers" params count --layers 2 --vocab 100 --lang en
shows "heads have to divide" 2 "--heads 7" params count --heads 7 --lang en
shows "in Chinese too" 2 "除不尽" params count --heads 7 --lang zh
shows "words are for other lessons" 2 "--text" params count --text "the cat" --lang en
shows "no number is drawn" 2 "--seed" params count --seed 3 --lang en
shows "its options are no other lesson's" 2 "params count" scores --layers 3 --lang en
shows "a model of another name is none" 2 "counts" params counts --lang en

shows "down to the widths" 0 "512·512" explain params total --depth 3 --lang en
shows "of one's own" 0 "6·6" explain params weight_count 0 0 --d-model 6 --heads 2 --lang en
shows "its code" 0 "nn.Transformer" code params --lang en
shows "its mistakes" 0 "count.weights_alone" break params --lang en
shows "its questions" 1 "tfx params" quiz params --lang en
shows "asked first" 0 "question" params count --step --lang en
for kind in npz json csv html; do
  shows "--save .$kind" 0 "" params count --quiet --save "count.$kind" --lang en
  check "count.$kind is there" test -s "count.$kind"
done
run params count --json --no-time
check "JSON" grep -q '"name":"total"' "$work/out"
shows "a right total" 0 "✓" check params count.npz --lang en
run params count --layers 1 --quiet --save one.npz
shows "another model's is no total of this" 1 "total" check params one.npz --lang en
shows "but of its own sizes" 0 "✓" check params one.npz --layers 1 --lang en
run complete params co
check "completion offers count" grep -q '^count' "$work/out"
finish
