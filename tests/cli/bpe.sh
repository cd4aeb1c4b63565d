#!/usr/bin/env bash
# tfx bpe: merges learned from a text, texts cut by them and back, GPT-2's files, refusals.
#   tests/cli/bpe.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

for _ in 1 2 3 4 5; do printf 'low\n'; done >text.txt
for word in lower lower newest newest newest newest newest newest widest widest widest; do echo "$word"; done >>text.txt

# says NAME LINE ARGUMENT…: that is all there is on stdout.
says() {
  local name=$1 line=$2
  shift 2
  run "$@"
  check "$name" test "$status" = 0 -a "$(<"$work/out")" = "$line"
}

# --- merges are learned ----------------------------------------------------------------------------------------------

shows "the first merge" 0 '"es"' bpe train text.txt --merges 4 --out merges.txt --vocab-out vocab.json
printf '#version: 0.2\ne s\nes t\nl o\nlo w\n' >wanted.txt
check "and its count" grep -qE '^1 +"e" +"s" +"es" +9$' "$work/out"
check "the merges are GPT-2's file" cmp -s merges.txt wanted.txt
check "the vocabulary has an id a token" test "$(grep -c '": [0-9]' vocab.json)" = 260
check "the bytes first" grep -q '"!": 0,' vocab.json
check "then what was merged" grep -q '"low": 259' vocab.json
run bpe train text.txt --merges 4 --json
check "JSON has them" grep -q '{"left":"l","right":"o","count":7}' "$work/out"
shows "no more merges than there are" 0 'no pair stands twice' bpe train text.txt --merges 1000
seq 1 3000 >numbers.txt
run bpe train numbers.txt --merges 30
check "the first few are shown" test "$(grep -cE '^ *[0-9]+ +"' "$work/out")" = 20
run bpe train numbers.txt --merges 30 --all
check "or all" test "$(grep -cE '^ *[0-9]+ +"' "$work/out")" = 30
run bpe train text.txt --merges 4 --out again.txt --threads 1
check "the same bytes again" cmp -s merges.txt again.txt
"$tfx" bpe train - --merges 4 --out piped.txt <text.txt >/dev/null
check "from standard input too" cmp -s merges.txt piped.txt

# --- texts are cut ---------------------------------------------------------------------------------------------------

run bpe encode merges.txt --text "lowest 我"
check "ids come first" test "$(head -n 1 "$work/out")" = "259 257 220 162 230 239"
check "then each token" grep -q '^"low" *259 *3' "$work/out"
says "and back" "lowest 我" bpe decode merges.txt --ids 259,257,220,162,230,239
says "half a character is written out" '\xe6' bpe decode merges.txt --ids 162
printf 'low est\n\nlow\r\n' >lines.txt
says "a line in, a line out" $'259 220 257\n\n259 201' bpe encode merges.txt --file lines.txt
run bpe encode merges.txt --file lines.txt
cp "$work/out" ids.txt
says "and back again" $'low est\n\nlow\r' bpe decode merges.txt --file ids.txt
printf '259\r\n\r\n259 220 257' >windows.txt
says "ids may have Windows' line ends, and no last one" $'low\n\nlow est' bpe decode merges.txt --file windows.txt

# What comes back is the text, to the byte: nothing is escaped in files and pipes, and a line keeps its end.
there_and_back() {
  "$tfx" bpe encode "${2:-merges.txt}" --file "$1" | "$tfx" bpe decode "${2:-merges.txt}" --file - >back.txt && cmp -s "$1" back.txt
}
printf 'tab\there\r\n\n \u2028\u2029\u200d\u200e\ufeff\u00ad\x01\x1b[31m\x7f\u0085 \r\r\n👩\u200d🚀 e\u0301 \xf3\xa0\x81\x81\n\n' >any.txt
printf '\xef\xbb\xbflow\rlow\n\n\nlow \t' >unended.txt
printf 'a\0b\n\0' >nul.txt
: >empty.txt
printf '\n' >blank.txt
LC_ALL=C awk 'BEGIN {for (i = 1; i < 12288; ++i) {if (i < 128) printf "%c", i; else if (i < 2048) printf "%c%c", 192 + i / 64, 128 + i % 64; else printf "%c%c%c", 224 + int(i / 4096), 128 + int(i / 64) % 64, 128 + i % 64}}' >points.txt
check "all characters up to U+2FFF" test "$(wc -m <points.txt)" -ge 12286 -o "$(wc -c <points.txt)" -gt 30000
for file in any unended nul empty blank points text; do check "$file.txt is the same, cut and joined" there_and_back $file.txt; done
"$tfx" bpe train any.txt --merges 50 --out any_merges.txt >/dev/null
check "by merges of white space too" there_and_back any.txt any_merges.txt
printf 'a\tb' >tab.txt
check "a pipe gets what --ids are" test "$("$tfx" bpe decode merges.txt --ids "$("$tfx" bpe encode merges.txt --file tab.txt | tr ' ' ,)")" = $'a\tb'
if has_terminals; then
  script -qec "$tfx bpe decode merges.txt --ids 64,197,65" /dev/null </dev/null >typed.txt
  check "a terminal sees a tab written out" grep -qF 'a\tb' typed.txt
  script -qec "$tfx bpe decode merges.txt --file ids.txt" /dev/null </dev/null >typed.txt
  check "and a return" grep -qF 'low\r' typed.txt
fi

# A byte order mark is no part of the text that is learned from.
{ printf '\xef\xbb\xbf' && cat text.txt; } >marked.txt
run bpe train marked.txt --merges 4 --json
mv "$work/out" marked.json
run bpe train text.txt --merges 4 --json
check "a byte order mark counts as nothing" cmp -s marked.json "$work/out"

# --- one long piece costs what words cost ----------------------------------------------------------------------------

awk 'BEGIN {srand(1); for (i = 0; i < 500000; ++i) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)}' >acgt.txt
run bpe train acgt.txt --merges 2000 --out acgt_merges.txt # counted piece by piece it took 90 s and 2 GB
check "all in one piece" test "$status" = 0 -a "$(wc -l <acgt_merges.txt)" = 2001
check "and cut by its merges" there_and_back acgt.txt acgt_merges.txt

# --- a model of byte pairs -------------------------------------------------------------------------------------------

for word in low lower newest widest lowest; do printf '%s %s\t%s 我\n' "$word" "$word" "$word"; done >pairs.tsv
train=(--steps 3 --batch 2 --threads 1 --d-model 8 --heads 2 --d-ff 8 --layers 1 --quiet)
own=(--pairs pairs.tsv --src-tokens bpe:merges.txt --tgt-tokens bpe:merges.txt)
run train "${own[@]}" "${train[@]}" --out own.safetensors
check "it is trained" test "$status" = 0
cp merges.txt kept.txt && rm merges.txt
run decode --model own.safetensors --text "unseen 词" --quiet
check "it decodes without the file of merges, any text" test "$status" = 0
run score --model own.safetensors --pairs pairs.tsv --json
check "and is scored, with nothing unknown" grep -q '"unknown": 0' "$work/out"
run train --resume own.safetensors --steps 5 --quiet --out more.safetensors
check "and goes on" test "$status" = 0
cp kept.txt merges.txt
run train "${own[@]}" "${train[@]/#3/5}" --out whole.safetensors
check "as if it had not stopped" cmp -s more.safetensors whole.safetensors
printf 'e s\n' >other.txt
run train --resume own.safetensors --src-tokens bpe:other.txt --steps 5
check "but not with other merges" grep -q -- '--src-tokens' "$work/err"
check "which is a usage error" test "$status" = 2
run train "${own[@]}" "${train[@]}" --src-tokens bpe:nothing.txt
check "--src-tokens is given once" test "$status" = 2
run train --pairs pairs.tsv --src-tokens bpe:nothing.txt "${train[@]}"
check "a file that is not there" test "$status" = 66
run train --pairs pairs.tsv --src-tokens bpe: "${train[@]}"
check "or is not named" grep -q 'words|characters|sentences|bpe:FILE' "$work/err"

# --- refusals --------------------------------------------------------------------------------------------------------

# refused STATUS TEXT ARGUMENT…
refused() {
  local wanted=$1 text=$2
  shift 2
  run bpe "$@"
  if ((status == wanted)) && grep -qF -- "$text" "$work/err"; then ok "bpe $*"; else not_ok "bpe $*" "status $status: $(head -c 300 "$work/err")"; fi
  run bpe "$@" --lang zh
  check "bpe $* in Chinese" test -z "$(english_in "$work/err")"
}
printf 'lo w\n' >unmade.txt
printf '\xff\n' >latin.txt
printf 'abc' >once.txt
printf '{"low": -1}' >negative.json
echo 259 999 >unknown.txt
echo 25x >no_id.txt
refused 2 'bpe cannot "tain"; did you mean train' tain text.txt
refused 2 'bpe train needs --merges N' train text.txt
refused 2 'bpe encode needs' encode merges.txt
refused 2 'bpe decode needs' decode merges.txt
refused 2 '--text has no use for bpe train' train text.txt --merges 4 --text a
refused 2 '--merges has no use for bpe encode' encode merges.txt --text a --merges 4
refused 2 '--out' train text.txt --merges 4 --out ./text.txt
refused 2 '--merges' train text.txt --merges 0
refused 65 'unmade.txt: line 1: no line before it makes the token "lo"' encode unmade.txt --text a
refused 65 'merges.txt: byte 0' encode merges.txt --text a --vocab merges.txt
refused 65 'negative.json: the id of the token "low" is no whole number' encode merges.txt --text a --vocab negative.json
refused 65 'latin.txt: the text is not UTF-8' train latin.txt --merges 4
refused 65 'latin.txt, line 1: the text is not UTF-8' encode merges.txt --file latin.txt
refused 65 'once.txt: no pair' train once.txt --merges 4
refused 65 'unknown.txt, line 1: id 999 is none' decode merges.txt --file unknown.txt
refused 65 'no_id.txt, line 1' decode merges.txt --file no_id.txt
refused 65 'id 999 is none' decode merges.txt --ids 999
refused 66 'nothing.txt' encode nothing.txt --text a
refused 73 'folder' train text.txt --merges 4 --out folder/merges.txt

# --- the lesson ------------------------------------------------------------------------------------------------------

shows "alone it is the lesson" 0 'e + s → es' bpe
cp "$work/out" alone.txt
run bpe step --no-time
check "as bpe step shows it" cmp -s alone.txt "$work/out"
shows "on one's own text" 0 'l + o → lo' bpe --text "low low lower" --merges 2
shows "with a word of one's own" 0 '学 <E4>' bpe step --lang zh --text '学习 学生 大学 学校 同学' --word 学会 --merges 4
refused 2 '20' --merges 21
refused 2 'has no use for bpe step' --out merges.txt
refused 2 'no pair of neighbours' step --text abc
refused 2 'is empty' step --word ''
refused 2 'needs a FILE' train --merges 3

printf 'low low lower' >few.txt
run bpe train few.txt --merges 2 --out few.merges
{ printf '\xEF\xBB\xBF'; cat few.merges; } >marked.merges
"$tfx" bpe encode few.merges --text low >plain.ids
run bpe encode marked.merges --text low
check "a byte order mark is no merge" cmp -s "$work/out" plain.ids
run bpe encode few.merges --text low --json
mv "$work/out" said.json
run bpe encode few.merges --text low --save saved.json
check "--save FILE.json is the JSON" cmp -s saved.json said.json
check "beside the page" cmp -s "$work/out" plain.ids
run bpe train text.txt --merges 4 --save saved.html
check "--save FILE.html has the merges in both languages" test "$(grep -o 'new token\|新词元' saved.html | sort -u | wc -l)" = 2
shows "one file is not both" 2 "contradict" bpe train text.txt --merges 4 --out both.json --save both.json
shows "what cannot be saved is refused" 2 "none.npz" bpe train text.txt --merges 4 --out none.txt --save none.npz
check "before anything is written" test ! -e none.txt
run bpe decode few.merges --ids 39,198,72 --save lines.html
check "a text of two lines is two lines" grep -q '<pre>H$' lines.html
shows "the page itself is saved by its lesson" 2 "tfx bpe --help" bpe --save page.html

finish
