#!/bin/bash
# Lessons on a trained model's numbers: whose they are is said, what is suggested goes on with them, what is not there is refused.

self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

shows "a head of the encoder" 0 "encoder.layers.0.self_attn" scores --model reverse --text star --layer 0 --head 3
shows_match "the decoder reads the model's answer" 0 "reads “star” and answers “rats”" cross --model reverse --text star
shows "in Chinese" 0 "答“三百零五”" masked --model numbers-zh --lang zh
shows "the next lesson is on the same model" 0 "tfx softmax --text star --model reverse" scores --model reverse --text star
shows_match "drawn numbers say where learned ones are" 0 "tfx scores --text star --model reverse" scores --text star
shows "a cell goes back to the table of words" 0 "src_embed.0.lut.weight" \
  explain words X 0 1 --model reverse --text star --depth 3
run scores --model reverse --text star --quiet --save scores.npz
shows "an array of one's own is checked on it, and so is the next lesson's" 0 "tfx softmax --text star --model reverse" check scores scores.npz --model reverse --text star
run cross --model reverse --text star --quiet --save page.html
check "the page in HTML says whose numbers they are" grep -q 'reads “star” and answers “rats”' page.html
check "a head's rule is named in both languages" grep -q '这个头看的是“镜像位置”' page.html
check "in each by its own words" grep -q 'looks by the rule “mirrored place”' page.html
run inputs scores --model reverse --text star --save given.npz
run inspect given.npz
check "what is given is X and the head's weights" grep -q 'W_Q.*80×20\|W_Q.*(80, 20)' "$work/out"
check "and nothing of the way to it" bash -c "! grep -q layers '$work/out'"

shows "a token that no training has seen is said" 0 "en-zh does not know every token of the text" masked --model en-zh --text "I like 你" --lang en
shows "in Chinese too" 0 "不认识文本里的有些词元" masked --model en-zh --text "I like 你" --lang zh
shows_match "where it knows none, a text that it knows too" 0 'knows no token of the text.*--text "Select the cells' masked --model en-zh --text 你好 --lang en
shows "in Chinese as well" 0 "一个也不认识" masked --model en-zh --text 你好 --lang zh
run scores --model reverse --text star --full
check "the way to X is not shown" bash -c "! grep -q 'norm[.]mean' '$work/out'"
shows "unless it is asked for" 0 "src_embed.0.lut.weight" scores --model reverse --text star --show src_embed.0.lut.weight
run quiz scores --model reverse --text star --count 40
check "nor asked for" bash -c "! grep -q encoder '$work/out'"


# longest_section: of the page on standard input, in rows.
longest_section() { awk '/^── /{n = 0} {n++; if (n > most) most = n} END {print most}'; }

# Whoever reads no more than a screen knows whose numbers these are and what the head does.
for lesson in lookup words qkv scores softmax attention sdpa masked multihead cross embed block "cache step"; do
  for language in en zh; do
    # shellcheck disable=SC2086 # a command of two words
    run $lesson --model en-zh --lang $language --no-time
    head -n 24 "$work/out" >"$work/screen"
    check "$lesson says whose numbers these are on its first screen, $language" \
      grep -q '^learned  The trained model en-zh\|^学到的   训练好的模型 en-zh' "$work/screen"
    case $lesson in
      words | embed | block) ;; # no head
      *) check "and what the head looks at, $lesson $language" \
        grep -q 'stands out\|looks by the rule\|What they look at\|最突出\|看的是' "$work/screen" ;;
    esac
  done
done
shows_match "a row of the decoder reads a token and writes the next" 0 "Row “<s>→r” reads “<s>”" cross --model reverse --text star
shows_match "a mark of capitals is said to be one" 0 "“⇧” is a token too" scores --model en-zh --text "Click here" --lang en
lacks() { ! grep -q "$1" "$work/out"; }
run scores --model en-zh --text "click here" --lang en
check "where there is none nobody speaks of it" lacks ⇧
shows_match "the nearest of all words by cosine" 0 "click → clicking 0.61" words --model en-zh --text "click here" --lang en
run words --model en-zh --text "the cell" --lang en
check "a mark of capitals is no word's neighbour" lacks ⇧
shows_match "after the layers the whole model, on the same text" 0 "tfx model --weights reverse --text star" block --model reverse --text star
run block --model en-zh --text "click here" --show norm_rules --lang en --no-time
check "of a token of 128 numbers the norms show 16" test "$(grep -c '^1[0-9] ' "$work/out") $(grep -c '^127 ' "$work/out")" = "6 0"
check "and say so" grep -q 'Its first 16 numbers' "$work/out"
run attention --model reverse --text star --grad --no-time
check "gradients on the way to X are on no page" bash -c "! grep -q 'd[.]encoder' '$work/out'"
run softmax --model reverse --text star --quiet --save whole.npz
run check softmax whole.npz --model reverse --text star --lang en
check "what is right on the way to X is one line of check" test "$(grep -c '✓' "$work/out") $(grep -c "way to X: equal" "$work/out")" = "16 1"

# A file of another program's: its heads are told.
run train --task reverse --d-model 16 --steps 5 --out own.safetensors --quiet
shows_match "a lesson on a model of one's own" 0 "The trained model own.safetensors reads" cross --model own.safetensors --lang en
shows "heads that its file says" 2 "--heads does not apply" cross --model own.safetensors --heads 2 --lang en
shows "heads of no model" 2 "--heads has a use only with --model" cross --heads 2 --lang en

printf 'star\trats\n' >pairs.tsv
printf 'star\trats\nab3\tx\n' >unknown.tsv
shows "heads over the learner's pairs" 0 "over 1 pairs (pairs.tsv)" model --weights reverse --roles --pairs pairs.tsv --lang en
shows "a pair that the model cannot read" 65 "unknown.tsv, line 2" model --weights reverse --roles --pairs unknown.tsv --lang en
run model --weights reverse --roles --color always --lang en
check "a head that has a role stands in bold, another does not" test \
  "$(grep -c $'^\e\\[1mdecoder 0 src_attn 1' "$work/out")$(grep -c $'^decoder 0 src_attn 0' "$work/out")" = 11
run model --weights reverse --roles --no-time --json --save roles.html
check "heads as JSON" grep -q '"name":"role_weights"' "$work/out"
check "heads as a page: their roles in both languages" grep -q 'mirrored place</span><span lang="zh">镜像位置' roles.html
check "the weights as pictures" grep -q 'class="picture"' roles.html
check "and how to have it again" grep -q '<code>tfx model --roles --weights reverse</code>' roles.html
shows "a page of another kind, before anything is measured or written" 2 '.html' \
  model --weights reverse --roles --save roles.csv --save-weights early.safetensors --lang en
check "nothing was written" test ! -e early.safetensors
shows "pairs for nothing" 2 "has a use only with --roles" model --pairs pairs.tsv --lang en
shows "pairs and a text" 2 "contradict" model --weights reverse --roles --pairs pairs.tsv --text star --lang en
for weights in reverse numbers-zh en-zh; do
  for language in en zh; do
    run model --weights $weights --roles --width 80 --lang $language
    check "what the heads of $weights do comes in sections of a screen, $language" \
      test "$(longest_section <"$work/out")" -le 30
  done
done
shows "a head that is not there" 2 "--head takes a whole number from 0 to 3" scores --model reverse --head 4 --lang en
shows "a layer that is not there" 2 "--layer takes a whole number from 0 to 1" block --model reverse --layer 2 --lang en
shows "a text that the model cannot read" 2 "is not in the vocabulary" scores --model reverse --text 你好 --lang en
shows "a model that is not there" 2 "there is no trained model" scores --model nope --lang en
shows "sizes are the model's" 2 "--d-model does not apply" scores --model reverse --d-model 8 --lang en
shows "in Chinese too" 2 "--d-model 在这里不适用" scores --model reverse --d-model 8 --lang zh
shows "a head of no model" 2 "--head" scores --head 1 --lang en
for lesson in words attention masked multihead; do
  shows "$lesson begins with a translator" 0 "The " $lesson --lang en
  check "whose sentence it shows" grep -q 'translator' "$work/out"
  shows "$lesson with words that it knows" 0 "translator en-zh" $lesson --text "open the red file" --lang en
  check "has rows of them" grep -qE '^ {9}(open|file|red|head 0|打|开|的|红|文|件).* [0-9]\.[0-9]{2}' "$work/out"
  shows "$lesson with others" 0 "does not know every word" $lesson --text "my quokka" --lang en
  shows "in Chinese" 0 "不认识这句话里的每个词" $lesson --text "my quokka" --lang zh
done
shows "cross reads the source" 0 "open the red file" cross --text "le chat" --source "open the red file" --lang en
shows "no Chinese in ASCII" 0 "weights" cross --ascii --lang en
check "so no box" lacks "translator en-zh reads"
shows "a picture of the parameters, and longer texts in full" 0 "Every token meets more keys" params count --full --lang en
finish
