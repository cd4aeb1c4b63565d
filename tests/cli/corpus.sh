#!/usr/bin/env bash
# One's own text: tfx train --corpus, tfx score --corpus, tfx generate.
#   tests/cli/corpus.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

little=(--layers 1 --d-model 16 --d-ff 16 --heads 2 --context 16 --batch 2 --no-time)
for ((i = 1; i <= 20; ++i)); do printf 'the cat sat on mat %d\nand the hat\n\n' "$i"; done >text.txt
printf '春眠不觉晓，\n处处闻啼鸟。\n\n夜来风雨声，\n花落知多少。\n' >poem.txt

# --- learning ---------------------------------------------------------------------------------------------------------

shows "documents are what stands between blank lines" 0 "documents to learn from: 18" train --corpus text.txt "${little[@]}" --steps 4 --out m.safetensors --log log.csv --lang en
shows_match "every tenth is kept apart" 0 "kept apart to measure with: 2" train --corpus text.txt "${little[@]}" --steps 4 --lang en
shows "in Chinese" 0 "每十篇留出一篇" train --corpus text.txt "${little[@]}" --steps 4 --lang zh
shows "counting stands beside, and wins" 0 "counting needs fewer bits" train --corpus text.txt "${little[@]}" --steps 4 --lang en
check "the log has bits per byte" grep -q 'bits_per_byte$' log.csv
check "measured ones" grep -qE '^4,.*,[0-9.]+$' log.csv
shows "lines are documents where they are asked for" 0 "documents to learn from: 36" train --corpus text.txt --documents line "${little[@]}" --steps 1 --lang en
shows "and files" 0 "documents to learn from: 1," train --corpus text.txt --documents file "${little[@]}" --steps 1 --lang en
shows "one document: nothing is held out, which is said" 0 "No document is kept apart" train --corpus poem.txt --documents file "${little[@]}" --steps 1 --lang en
shows "several files are one text" 0 "documents to learn from: 20" train --corpus text.txt poem.txt "${little[@]}" --steps 1 --lang en
printf 'a\n' >short.txt
shows "a text shorter than the context" 0 "learn from: 1," train --corpus short.txt --steps 1 --no-time --lang en
run train --corpus text.txt "${little[@]}" --steps 4 --json --quiet
check "JSON" grep -qE '"losses": \[[^,]+(,[^,]+){3}\]' "$work/out"
check "with what counting says" grep -q '"order":7' "$work/out"
for preset in gpt-micro llama-micro microgpt; do
  shows "preset $preset" 0 "Preset $preset" train --preset "$preset" --corpus text.txt --steps 1 --no-time --lang en
done
shows "byte pairs that are not there" 66 "cannot open" train --corpus text.txt --tokens bpe:none.txt --steps 1 --lang en
run bpe train text.txt --merges 20 --out merges.txt
shows "byte pairs" 0 "the vocabulary has 27" train --corpus text.txt --tokens bpe:merges.txt "${little[@]}" --steps 2 --out b.safetensors --lang en
shows "which generate writes in" 0 "tokens at once" generate --model b.safetensors --text "the cat" --max-tokens 5 --lang en

printf 'one\ntwo\nthree\n' >lines.txt
shows "a text without a blank line is one document, and how to cut it is said" 0 "so all of it is one document" train --corpus lines.txt "${little[@]}" --steps 1 --lang en
shows "where its lines are documents nothing is to be said" 0 "documents to learn from: 3," train --corpus lines.txt --documents line "${little[@]}" --steps 1 --lang en
check "and is not" test "$(grep -c "one document" "$work/out")" = 0
awk 'BEGIN { srand(1); for (d = 0; d < 20; ++d) { for (i = 0; i < 30; ++i) printf "%c", 97 + int(rand() * 26); print "\n" } }' >noise.txt
heart=(--layers 2 --d-model 32 --d-ff 64 --heads 2 --context 32 --batch 16 --lr 0.01 --dropout 0 --measure-every 20 --no-time)
shows "what is learned by heart is called so" 0 "(overfitting)" train --corpus noise.txt "${heart[@]}" --steps 200 --lang en
check "more steps are not advised then" test "$(grep -c "still falling" "$work/out")" = 0
shows "in Chinese" 0 "过拟合" train --corpus noise.txt "${heart[@]}" --steps 200 --width 200 --lang zh
shows "what still falls is told to go on" 0 "still falling" train --corpus text.txt "${little[@]}" --measure-every 10 --steps 20 --lang en
shows "microgpt reads the first tokens of each document" 0 "of each the first 16 tokens" train --preset microgpt --corpus text.txt --steps 2 --no-time --lang en

# --- going on ---------------------------------------------------------------------------------------------------------

run train --corpus text.txt "${little[@]}" --steps 6 --schedule linear --decay-to 6 --out straight.safetensors --quiet
run train --corpus text.txt "${little[@]}" --steps 3 --schedule linear --decay-to 6 --out halves.safetensors --quiet
run train --resume halves.safetensors --steps 6 --quiet --no-time
check "resumed, it goes on bit for bit" cmp -s straight.safetensors halves.safetensors
shows "where nothing is left to do, that is said" 0 "nothing was trained now" train --resume halves.safetensors --steps 6 --no-time --lang en
cp text.txt kept.txt && echo "and a line" >>text.txt
shows "another text is refused" 2 "another text" train --resume halves.safetensors --steps 7 --lang en
shows "in Chinese" 2 "用别的文本训练的" train --resume halves.safetensors --steps 7 --lang zh
mv text.txt other.txt && mv kept.txt moved.txt
shows "the text may have moved" 0 "20" train --resume halves.safetensors --corpus moved.txt --steps 7 --no-time --lang en
mv moved.txt text.txt

run train --corpus text.txt "${little[@]}" --steps 3 --out more.safetensors --quiet
shows "more steps go on, with the schedule that it had" 0 "learn from: 18" train --resume more.safetensors --steps 5 --no-time --lang en
shows "another kind of data is refused" 2 "trained with task corpus, not pairs" train --resume more.safetensors --pairs poem.txt --steps 6 --lang en

# --- writing ----------------------------------------------------------------------------------------------------------

shows "a text goes on" 0 "the ca" generate --model m.safetensors --text "the ca" --max-tokens 20 --lang en
cp "$work/out" again
run generate --model m.safetensors --text "the ca" --max-tokens 20 --lang en
check "the same for a seed" cmp -s "$work/out" again
run generate --model m.safetensors --text "the ca" --max-tokens 20 --seed 7 --lang en
cmp -s "$work/out" again && not_ok "another for another" "it is the same" || ok "another for another"
shows "a prompt longer than the context slides" 0 "longer than the context of 16" generate --model m.safetensors --text "the cat sat on the mat and the hat" --max-tokens 3 --lang en
shows "in Chinese" 0 "16 个词元的上下文" generate --model m.safetensors --text "the cat sat on the mat and the hat" --max-tokens 3 --lang zh
shows "what it never saw is said" 0 "<unk>" generate --model m.safetensors --text "Zoë" --max-tokens 3 --lang en
run generate --model m.safetensors --temperature 100 --max-tokens 300 --count 3 --json
check "three texts at any temperature" test "$status $(grep -o '"text":' "$work/out" | wc -l)" = "0 3"
check "padding, starts and <unk> are never written" test -z "$(sed -n '/"texts"/p' "$work/out" | grep -aoE '<(pad|s|unk)>')"
shows_match "what was copied, which the text has" 0 "word for word has [1-9][0-9]* tokens" generate --model m.safetensors --text "the ca" --max-tokens 9 --corpus text.txt --lang en
shows "from another text, which is said" 0 "is not the text" generate --model m.safetensors --text "the ca" --max-tokens 9 --corpus poem.txt --lang en
run generate --model m.safetensors --count 3 --max-tokens 5 --top-k 1 --json --no-time
check "JSON of three" test "$(grep -o '"text":' "$work/out" | wc -l)" = 3
run generate --model m.safetensors --text "the ca" --max-tokens 1 --json
cp "$work/out" again
run generate --model m.safetensors --text "the ca " --max-tokens 1 --json
if cmp -s "$work/out" again; then not_ok "a blank at the end counts" "it does not"; else ok "a blank at the end counts"; fi
shows "a page for the browser" 0 "" generate --model m.safetensors --max-tokens 3 --save g.html --lang en
check "which has the tokens" grep -q "</table>" g.html
shows "no tensor to save" 2 "no tensor" generate --model m.safetensors --save g.npz --lang en
shows "a model is needed" 2 "--model" generate --lang en
shows "one that translates goes on with nothing" 65 "it translates" generate --model en-zh --lang en
shows "in Chinese" 65 "它做翻译" generate --model en-zh --lang zh

# --- scoring ----------------------------------------------------------------------------------------------------------

shows "what was held out" 0 "2 documents" score --model m.safetensors --corpus text.txt --lang en
shows "in Chinese" 0 "从没学过的 2 篇" score --model m.safetensors --corpus text.txt --lang zh
shows "another text" 0 "documents of poem.txt" score --model m.safetensors --corpus text.txt --on poem.txt --lang en
shows "its unknown characters cost 8 bits a byte" 0 "they count as <unk>" score --model m.safetensors --corpus text.txt --on poem.txt --lang en
run train --corpus text.txt --documents line "${little[@]}" --steps 1 --weights-out lines.safetensors --quiet
shows "weights alone know what was held out" 0 "4 documents" score --model lines.safetensors --corpus text.txt --lang en
shows "not the text it learned" 65 "this is not the text" score --model m.safetensors --corpus poem.txt --lang en
run train --corpus poem.txt "${little[@]}" --steps 1 --out p.safetensors --quiet
shows "nothing held out" 65 "nothing of it was held out" score --model p.safetensors --corpus poem.txt --lang en
run score --model m.safetensors --corpus text.txt --json
check "JSON" grep -q '"order":7' "$work/out"
check "with its members" grep -q '"perplexity":' "$work/out"
shows "the text that it learned is no unread one" 0 "how much was learned by heart" score --model m.safetensors --corpus text.txt --on text.txt --lang en
shows "decoding's options have no use" 2 "--max-tokens" score --model m.safetensors --corpus text.txt --max-tokens 3 --lang en
shows "pairs' options are not a text's" 2 "--beam" score --model m.safetensors --corpus text.txt --beam 2 --lang en

# --- refused ----------------------------------------------------------------------------------------------------------

printf 'caf\xe9\n' >latin.txt
: >empty.txt
shows "no UTF-8" 65 "UTF-8" train --corpus latin.txt --lang en
shows "no text" 65 "there is no text in it" train --corpus empty.txt --lang en
shows "no file" 66 "cannot open" train --corpus none.txt --lang en
shows "a folder" 66 "here" train --corpus "$work/here" --lang en
shows "a preset of the other family" 2 "none of the task" train --corpus text.txt --preset tiny --lang en
shows "and back" 2 "none of the task" train --task copy --preset gpt-micro --lang en
shows "two things to learn" 2 "--corpus" train --corpus text.txt --pairs poem.txt --lang en
shows "the text would be written over" 2 "--out" train --corpus m.safetensors --out m.safetensors --lang en
cp poem.txt two.csv
shows "nor the second file" 2 "--log" train --corpus text.txt two.csv --log two.csv --lang en
check "which is as it was" cmp -s poem.txt two.csv
cp poem.txt over.safetensors.prev && cp m.safetensors over.safetensors
shows "nor by what a save keeps" 2 "over.safetensors.prev" train --corpus over.safetensors.prev --out over.safetensors --lang en
shows "examples are a task's" 2 "--examples" train --corpus text.txt --examples 3 --lang en
shows "microgpt's alphabet is all that its text holds" 2 "--min-count" train --preset microgpt --corpus text.txt --min-count 2 --lang en
shows "nothing is left of the text" 2 "smaller --min-count" train --corpus poem.txt --min-count 99 --lang en
shows "a file needs its option" 2 "text.txt has a use only with --corpus" train text.txt --lang en
shows "to score too" 2 "text.txt has a use only with --corpus" score --model m.safetensors text.txt --lang en
shows "no words to cut by" 2 "characters|bpe:FILE" train --corpus text.txt --tokens words --lang en
exit "$((failed > 0))"
