#!/usr/bin/env bash
# tfx decode and tfx cache: texts and ids, the ways to choose, files of many lines, JSON, refusals, widths.
#   tests/cli/decode.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# says NAME LINE ARGUMENT…: that line is all there is on stdout.
says() {
  local name=$1 line=$2
  shift 2
  run "$@"
  check "$name" test "$status" = 0 -a "$(<"$work/out")" = "$line"
}

# with_card FILE METADATA: the weights of plain.safetensors, and these members more in its metadata.
with_card() {
  local -a bytes
  local size header length
  read -ra bytes <<<"$(head -c 8 plain.safetensors | od -An -tu1)"
  size=$((bytes[0] + 256 * bytes[1] + 65536 * bytes[2]))
  header=$(tail -c +9 plain.safetensors | head -c "$size")
  header=${header/'"__metadata__": {'/"\"__metadata__\": {$2,"}
  length=$(printf '%s' "$header" | wc -c)
  printf -v size_text '\\x%02x' $((length % 256)) $((length / 256 % 256)) $((length / 65536)) 0 0 0 0 0
  { printf '%b' "$size_text"; printf '%s' "$header"; tail -c +$((9 + size)) plain.safetensors; } >"$1"
}

"$tfx" model --preset toy --save-weights plain.safetensors >/dev/null
"$tfx" model --preset toy --save-weights plain.npz >/dev/null
start='"task":"numbers-zh","src_tokenizer":"words","tgt_tokenizer":"characters"'
english='"src_tokens":"<pad>\n<s>\n</s>\none\ntwo\nthree\ntwenty\nand\nfive\nsix\nseven"'
chinese='"tgt_tokens":"<pad>\n<s>\n</s>\n一\n二\n三\n四\n五\n六\n七\n八"'
with_card card.safetensors "$start,$english,$chinese,\"start\":\"1\",\"end\":\"2\",\"max_tokens\":\"8\""
plain=(--model plain.safetensors) card=(--model card.safetensors)

# --- the shipped translator ------------------------------------------------------------------------------------------

says "a sentence is translated" "选择要复制的单元格。" \
  decode --model en-zh --text "Select the cells that you want to copy." --quiet
says "another one" "点击「确定」。" decode --model en-zh --text "Click OK." --quiet
says "it has a sentence of its own" "$("$tfx" decode --model en-zh --text "Select the cells that you want to copy." --quiet)" \
  decode --model en-zh --quiet
check "it takes no more than 4 MB" test "$(stat -c %s "${self%/tests/*}/data/models/en-zh.safetensors")" -le 4000000
shows "what it has read is said" 0 "en-zh has read one office manual" decode --model en-zh --text "Click OK." --lang en
shows "in Chinese too" 0 "en-zh 只读过一本办公软件的手册" decode --model en-zh --text "Click OK." --lang zh
shows "an answer that goes round is told" 0 "The answer repeats itself" decode --model en-zh --text red --lang en
shows "and a source longer than any in training" 0 "The text has 12 tokens, the longest in training had 10" \
  decode --model reverse --text abcdefghijkl --lang en
run decode --model reverse --text abcdefghij --lang en
check "one as long as the longest is usual" bash -c '! grep -q -e "longest in training" -e repeats "$1"' - "$work/out"
for dtype in f32 bf16 int8; do
  says "the same sentence in $dtype" "选择要复制的单元格。" \
    decode --model en-zh --text "Select the cells that you want to copy." --quiet --dtype "$dtype"
  printf 'one\ntwo hundred and six\n' >numbers.txt
  says "a file of texts in $dtype" $'一\n二百零六' decode --model numbers-zh --file numbers.txt --dtype "$dtype"
done
shows "what int8 costs is said" 0 "--dtype int8: a token reads" decode --model en-zh --text "Select the cells." --dtype int8 --lang en
run decode --model reverse --text abc --dtype bf16 --json
check "and stands in the JSON" grep -q '"dtype": *"bf16","bytes_per_token"' "$work/out"
shows "there is no other type" 2 "int4" decode --model reverse --text abc --dtype int4 --lang en
shows "bench takes it for decoding alone" 2 "--dtype" bench attention --dtype int8 --lang en

# --- ways to choose --------------------------------------------------------------------------------------------------

says "the text alone" "$("$tfx" decode "${card[@]}" --text "one two" | head -n 1)" \
  decode "${card[@]}" --text "one two" --quiet
check "it is text" grep -q '^[一二三四五六七八]' "$work/out"
greedy=$("$tfx" decode "${plain[@]}" --text "1 2 3" --quiet --end 0)
says "a beam of 1 is greedy" "$greedy" decode "${plain[@]}" --text "1,2,3" --quiet --end 0 --beam 1 --length-penalty 2
says "top-k 1 is greedy" "$greedy" decode "${plain[@]}" --text "1 2 3" --quiet --end 0 --top-k 1 --seed 7
for way in "" "--beam 3" "--temperature 2 --seed 5" "--top-p 0.8"; do
  # shellcheck disable=SC2086 # the way is words
  says "${way:-greedy} with and without the cache" \
    "$("$tfx" decode "${plain[@]}" --text "4 5 6" --quiet --max-tokens 9 $way)" \
    decode "${plain[@]}" --text "4 5 6" --quiet --max-tokens 9 $way --no-cache
done
draws=$(for seed in 1 2 3 4 5 6 7 8; do "$tfx" decode "${plain[@]}" --text "4 5 6" --quiet --temperature 3 --seed $seed; done)
check "the seed decides" test "$(sort -u <<<"$draws" | wc -l)" -gt 4
shows "the tree" 0 "The beam's tree" decode "${plain[@]}" --text "1 2 3" --beam 3
shows "every head" 0 "layer 1, head 1" decode "${plain[@]}" --text "1 2 3" --align
"$tfx" decode "${plain[@]}" --text "1 2 3" --json --no-time --save saved.json >"$work/document"
check "a .json is what --json prints" cmp -s "$work/document" saved.json
"$tfx" cache "${plain[@]}" --text "1 2 3" --json --no-time --save saved.json >"$work/document"
check "also of the cache" cmp -s "$work/document" saved.json
shows "npz" 0 "greedy" decode --model plain.npz --heads 2 --text "1 2 3"
says "hyphens and capitals" "$("$tfx" decode "${card[@]}" --text "twenty one" --quiet)" \
  decode "${card[@]}" --text "Twenty-One" --quiet
check "limits of the card" test "$("$tfx" decode "${card[@]}" --text "one" --json | grep -o '"runner_up"' | wc -l)" -le 7

printf 'one two\ntwenty-one\r\nfive' >lines.txt
"$tfx" decode "${card[@]}" --file lines.txt >"$work/lines"
check "a line in, a line out" test "$(wc -l <"$work/lines")" = 3
check "lines by themselves" test "$(sed -n 2p "$work/lines")" = "$("$tfx" decode "${card[@]}" --text "twenty one" --quiet)"
"$tfx" decode "${card[@]}" --file - --beam 2 <lines.txt >"$work/lines"
check "standard input" test "$(wc -l <"$work/lines")" = 3
: >empty.txt
says "no lines" "" decode "${card[@]}" --file empty.txt

# --- for programs ----------------------------------------------------------------------------------------------------

run decode "${card[@]}" --text "one two" --beam 2 --json --no-time
check "JSON" grep -q '^  "task": "numbers-zh",$' "$work/out"
check "JSON has the tree" grep -q '"ranked": \[' "$work/out"
cp "$work/out" "$work/first"
run decode "${card[@]}" --text "one two" --beam 2 --json --no-time --lang zh --threads 1
check "JSON is the same in every language" cmp -s "$work/first" "$work/out"
run cache "${plain[@]}" --text "1 2 3" --json --no-time
check "cache --no-time has no times" test "$(grep -c 'seconds\|timed_runs' "$work/out")" = 0
run cache "${plain[@]}" --text "1 2 3" --json
check "a step of cache is timed several times" grep -Eq '"timed_runs": ([3-9]|[1-9][0-9]+),' "$work/out"
run cache "${plain[@]}" --text "1 2 3" --json --no-time
check "cache in JSON" grep -q '"cached":{"macs":[0-9]*,"formula":[0-9]*}' "$work/out"
run decode "${card[@]}" --text "one two" --save run.npz
check "--save .npz" test "$status" = 0 -a -s run.npz
run decode "${card[@]}" --text "one two" --save alignment.csv
check "--save .csv holds the alignment" test "$(tail -n 1 alignment.csv | tr -cd , | wc -c)" -ge 1
run decode "${card[@]}" --text "one two" --beam 2 --save answer.html --lang en
check "--save .html has what the screen has: the sum, the tree" \
  bash -c 'grep -q "<tr class=\"strong\">.*all of it" answer.html && grep -q "tree: what targets share" answer.html'
run cache --save steps.npz
check "cache --save" test "$status" = 0 -a -s steps.npz
run cache --save steps.html
check "cache --save as a document" grep -q '<td>184,720</td>' steps.html

printf '\xEF\xBB\xBFone\r\ntwo\r\n' >marked.txt
says "a byte order mark is no part of a text" $'一\n二' decode --model numbers-zh --file marked.txt

# --- refusals --------------------------------------------------------------------------------------------------------

for number in -5 010 nan 1e99 3x 0 1001; do
  shows "--beam $number" 2 "--beam takes a whole number from 1 to 1000" decode --beam "$number"
done
for number in .5 +2 1. +.5 1e-1 +1.e0; do
  shows "--temperature $number is a number" 0 "" decode --model reverse --text ab --temperature "$number" --quiet
done
for number in -5 00.5 nan inf 1e99 3x 0 . + +-2 ++2 -.5 +010 1.2.3 0x1; do
  shows "--temperature $number" 2 "--temperature takes a number from 0.001 to 1000" decode --temperature "$number"
done
# 0 is what other programs call greedy: the refusal says how that is typed here, wherever there is a temperature.
for number in 0 0.0 .0; do
  shows_match "--temperature $number is greedy" 2 "--temperature takes a number from 0.001 .*leave it out, and give --top-k 1" \
    decode --temperature "$number"
done
shows "--temperature 0 of generate" 2 "leave it out, and give --top-k 1" generate --temperature 0
shows "--temperature 0 of decode step" 2 "leave it out, and give --top-k 1" decode step --temperature 0
shows "--temperature 0 in Chinese" 2 "去掉它，写 --top-k 1" decode --temperature 0 --lang zh
greedy=$("$tfx" decode --model reverse --text "a b c" --quiet)
check "--top-k 1 is greedy" test "$("$tfx" decode --model reverse --text "a b c" --top-k 1 --quiet)" = "$greedy"
for number in 0 1.1 -0.1 nan; do shows "--top-p $number" 2 "--top-p takes a number" decode --top-p "$number"; done
for number in 0 -1 5x; do shows "--top-k $number" 2 "--top-k takes a whole number" decode --top-k "$number"; done
shows "--length-penalty" 2 "--length-penalty takes a number from 0 to 10" decode --beam 2 --length-penalty -1
shows "words that the translator does not know" 0 '<unk>.": what it says' decode --model en-zh --text "Click Zorblax."
check "and what it cannot write" grep -q "never right" "$work/out"
shows "in Chinese" 0 "它读到的是“Click <unk>.”" --lang zh decode --model en-zh --text "Click Zorblax."
run decode --model en-zh --text "Click the cells."
check "of known words nothing is said" test "$status" = 0 -a "$(grep -c "<unk>" "$work/out")" = 0
run decode --beam 4
check "a page with a beam names a sentence that the translator fails on" grep -q "A model says only what it has read" "$work/out"
shows "--seed" 2 "--seed takes a whole number" decode --top-k 2 --seed 4294967296
shows "an empty number" 2 "--beam needs a value" decode --beam=
for other in "--temperature 1" "--top-k 2" "--top-p 0.5" "--seed 1"; do
  # shellcheck disable=SC2086 # the option is words
  shows "--beam with $other" 2 "contradict each other" decode --beam 2 $other
done
shows "--file with --text" 2 "contradict each other" decode --file lines.txt --text one
shows "--file with --json" 2 "contradict each other" decode --file lines.txt --json
shows "--seed alone" 2 "--seed has a use only with --temperature, --top-k or --top-p" decode --seed 3
shows "--length-penalty alone" 2 "has a use only with --beam" decode --length-penalty 1
shows "an unknown token" 2 'did you mean "three"' decode "${card[@]}" --text "threee"
shows "a special token is no text" 2 "not in the vocabulary" decode "${card[@]}" --text "<s>"
shows "an id beyond" 2 "0 … 10" decode "${plain[@]}" --text "11"
shows "no token" 2 "holds no token" decode "${card[@]}" --text " "
shows "an unknown model" 2 'no trained model "nonsense"' decode --model nonsense
shows "no such file" 66 "gone.safetensors" decode --model gone.safetensors
shows "no such list" 66 "gone.txt" decode --file gone.txt
shows "a bad line" 65 "lines.txt, line 1" decode "${plain[@]}" --file lines.txt
shows "heads of an npz" 2 "--heads" decode --model plain.npz --text 1
shows "--start beyond" 2 "--start takes a whole number from 0 to 10" decode "${plain[@]}" --start 11
shows "--end beyond" 2 "--end takes a whole number from 0 to 10" decode "${plain[@]}" --end 11
shows "--max-tokens beyond" 2 "--max-tokens takes a whole number from 1 to 5000" decode "${plain[@]}" --max-tokens 5001
shows "--save to another kind" 2 "--save does not know" decode --save x.txt
shows "an option of cache" 2 "it is for decode" cache --beam 2
with_card short.safetensors "$start,$english,\"tgt_tokens\":\"a\nb\",\"start\":\"1\",\"max_tokens\":\"8\""
shows "a short vocabulary" 65 "tgt_tokens has 2 tokens, the embedding has 11" decode --model short.safetensors
with_card far.safetensors "$start,$english,$chinese,\"start\":\"11\",\"max_tokens\":\"8\""
shows "a start beyond" 65 "whole number from 0 to 10" decode --model far.safetensors
evil=$'\e[31m\a'
shows "text that drives the terminal" 2 '\x1b[31m' decode "${card[@]}" --text "$evil"

# --- screens ---------------------------------------------------------------------------------------------------------

for width in 40 60 80 200; do
  for arguments in decode cache "decode --beam 4 --length-penalty 0.6" "decode --top-p 0.9 --align"; do
    # shellcheck disable=SC2086 # the arguments are words
    run $arguments --width $width --ascii --lang en # a byte is a column
    widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
    check "tfx $arguments at $width columns" test "$status" = 0 -a "$widest" -le "$width"
  done
done
check "ASCII" test "$(LC_ALL=C tr -d '\n -~' <"$work/out" | wc -c)" = 0

finish
