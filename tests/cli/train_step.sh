#!/usr/bin/env bash
# tfx train step: the lesson's page, and what every lesson has of it, behind the command that trains.
#   tests/cli/train_step.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

shows "the page" 0 "lesson 15" train step --lang en
shows "its loss falls" 0 "the loss fell by" train step --lang en
shows "in Chinese" 0 "损失下降了" train step --lang zh
shows "own words" 0 "tokens of your text: 3" train step --text "the cat sat" --lang en
shows "SGD" 0 "−0.01·dW_Q" train step adam --optimizer sgd --lang en
shows "AdamW" 0 "Weight decay" train step adam --optimizer adamw --lang en
shows "too long a step" 0 "the loss rose by" train step --lr 20 --lang en
shows "a lesson's refusals" 2 "--optimizer adamw" train step --weight-decay 0.1 --lang en
shows "logits teach no weight" 2 "--logits" train step --logits x.npy --lang en
shows "an engine's option is named" 2 "train" train step --steps 3 --lang en
shows "its own are no other lesson's" 2 "train step" scores --optimizer sgd --lang en
shows "tfx train does not take another word" 2 "stop" train stop --lang en

shows "back through Adam to the words" 0 "dscores[" explain train W_Q_after 0 1 --depth 8 --lang en
shows "its code" 0 "torch.optim.AdamW" code train --lang en
shows "its mistakes" 0 "adam.eps_inside" break train --lang en
shows "its questions" 1 "tfx train" quiz train --lang en
shows "asked first" 0 "As far as the other one" train step --step --lang en
for kind in npz json csv html; do
  shows "--save .$kind" 0 "" train step --quiet --save "step.$kind" --lang en
  check "step.$kind is there" test -s "step.$kind"
done
run train step --json --no-time
check "JSON" grep -q '"name":"W_Q_after"' "$work/out"
run train step --show W_Q_after --lang en
check "--show shows it alone" test "$(grep -c "direction" "$work/out")" = 0
shows "a right array" 0 "✓" check train step.csv --lang en
run train step --optimizer sgd --quiet --save other.csv
shows "another optimizer's is no W_Q_after of Adam" 1 "W_Q_after" check train other.csv --lang en
shows "but of SGD" 0 "✓" check train other.csv --optimizer sgd --lang en
run complete train s
check "completion offers step" grep -q '^step' "$work/out"
finish
