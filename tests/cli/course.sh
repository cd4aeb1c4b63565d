#!/usr/bin/env bash
# What leads through the course beside its lessons: the map of them all, the map of the model, the terms, the paths
# through the tutorials. All within a terminal of 80 columns and 24 rows.
#   tests/cli/course.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# a prompt stands below what is printed
rows=23
# fits_rows NAME ARGUMENT…: no more than $rows lines, none wider than 80 columns.
fits_rows() {
  local name=$1
  shift
  run "$@"
  check "$name has a screen" test $status = 0
  check "$name fits 24 rows" test "$(wc -l <"$work/out")" -le $rows
  check "$name fits 80 columns" test -z "$(sed 's/^/80\t/' "$work/out" | too_wide)"
}
# finds TEXT…: each is on the screen.
finds() {
  local text
  for text in "$@"; do grep -Fq -- "$text" "$work/out" || return 1; done
}

# --- the map of the course -------------------------------------------------------------------------------------------

lessons=(lookup words qkv scores softmax attention sdpa masked multihead cross embed block model loss train decode cache
  params gpt rope modern induction lens errata bench bpe)
for language in en zh; do
  rm -rf "$XDG_STATE_HOME"
  fits_rows "tfx ($language)" --lang $language
  check "tfx says where to begin ($language)" grep -q 'tfx next' "$work/out"
  fits_rows "tfx tour ($language)" tour --lang $language
  for lesson in bpe embed qkv scores softmax attention multihead block cross decode train; do
    check "tfx tour has a step of $lesson ($language)" grep -q "^ *[0-9]* $lesson " "$work/out"
  done
  run next --lang $language
  check "tfx next begins with it ($language)" grep -q '^tfx tour ' "$work/out"
  fits_rows "tfx list ($language)" list --lang $language
  mkdir -p "$XDG_STATE_HOME/tfx"
  printf '%s\n' "tfx progress 1" "scores done" "words seen" >"$XDG_STATE_HOME/tfx/progress"
  fits_rows "tfx with progress ($language)" --lang $language
  fits_rows "tfx list with progress ($language)" list --lang $language
  printf '%s done\n' "${lessons[@]}" | sed '1i tfx progress 1' >"$XDG_STATE_HOME/tfx/progress"
  fits_rows "tfx when all is done ($language)" --lang $language
  fits_rows "tfx list when all is done ($language)" list --lang $language
  fits_rows "the closing page ($language)" next --lang $language
done
rm -rf "$XDG_STATE_HOME"

# --- a lesson by its number ------------------------------------------------------------------------------------------

# same NAME ARGUMENT… -- ARGUMENT…: both command lines print the same.
same() {
  local name=$1 first=()
  shift
  while [[ $1 != -- ]]; do first+=("$1") && shift; done
  shift
  run "${first[@]}"
  cp "$work/out" "$work/reference"
  run "$@"
  check "$name" cmp -s "$work/reference" "$work/out"
  check "$name: something" test -s "$work/out"
}
same "tfx 3 is the lesson with its options" 3 --text "a b" --no-time -- scores --text "a b" --no-time
same "tfx 15 is a page behind a word" 15 --no-time -- train step --no-time
same "tfx quiz 3" quiz 3 --count 1 -- quiz scores --count 1
same "tfx explain 3" explain 3 scores 0 2 -- explain scores scores 0 2
same "tfx explain 13 is the model's" explain 13 log_probs 0 0 -- explain model log_probs 0 0
same "tfx code 4" code 4 -- code softmax
same "tfx break 4" break 4 -- break softmax
same "tfx map 4" map 4 -- map softmax
same "tfx inputs 4" inputs 4 -- inputs softmax
same "tfx help is --help" help -- --help
same "tfx help scores is scores --help" help scores -- scores --help
same "tfx help train step" help train step -- train step --help
shows "a number that no lesson has" 2 "there is no lesson 24: the lessons are 0 to 23" 24 --lang en
shows "nor has quiz" 2 "there is no lesson 99" quiz 99 --lang en
shows "help of what is no command" 2 "scores" help scroes --lang en

# --- the map of the model --------------------------------------------------------------------------------------------

for language in en zh; do
  fits_rows "tfx map ($language)" map --lang $language
  for lesson in "${lessons[@]}"; do
    fits_rows "tfx map $lesson ($language)" map "$lesson" --lang $language
    check "tfx map $lesson marks a part ($language)" grep -q '\[[^]]*\]' "$work/out"
  done
done
run map cross --lang en
check "the map has a number at every part" finds "self-attention    2–6, 9, 10" "[cross-attention]         11" "linear + softmax          14"
check "and nothing else is marked" test "$(grep -c '\[' "$work/out")" = 1
run map scores --ascii --lang en
check "tfx map --ascii is ASCII" test "$(LC_ALL=C tr -d '\n -~' <"$work/out" | wc -c)" = 0
for width in 40 60 77 78 200; do
  for language in en zh; do
    run map scores --lang $language --width $width
    check "tfx map at $width columns ($language)" test -z "$(sed "s/^/$width\t/" "$work/out" | too_wide)"
  done
done
run map scroes --lang en
check "tfx map refuses what is no lesson" test $status = 2
check "and names the nearest" grep -q 'did you mean scores' "$work/err"
run map scores --save map.html
check "the map is saved in both languages" test "$(grep -c '\[self-attention\]' map.html) $(grep -c '\[自注意力\]' map.html)" = "1 1"
check "and asks for no click" test "$(grep -c 'class="hint"' map.html)" = 0
run map scores --json
check "tfx map --json is a document" balanced <"$work/out"
cp "$work/out" "$work/reference"
run map scores --json --lang zh --width 40 --ascii
check "the same in every language and width" cmp -s "$work/reference" "$work/out"
check "it says which parts are the lesson's" test "$(grep -o '"here":true' "$work/out" | wc -l)" = 2

# --- the terms -------------------------------------------------------------------------------------------------------

for language in en zh; do
  for width in 40 80 200; do
    run terms --lang $language --width $width
    check "tfx terms has a list at $width columns ($language)" test $status = 0 -a -s "$work/out"
    check "none of it wider ($language)" test -z "$(sed "s/^/$width\t/" "$work/out" | too_wide)"
  done
  fits_rows "tfx terms of one ($language)" terms key --lang $language
  check "it says what a tutorial calls it ($language)" grep -q 'happy-llm: *键值' "$work/out"
done
run terms 键值 --lang en
check "a tutorial's word finds the field's" grep -q '^key  键 .*lesson 2: tfx qkv$' "$work/out"
run terms attention --lang zh
check "a term in English is explained in Chinese" grep -q '^注意力  attention .*第 0 课：tfx lookup$' "$work/out"
run terms label smoothing --lang en
check "a term of two words needs no quotes" grep -q '^label smoothing' "$work/out"
run terms no such term --lang en
check "and is refused as one" grep -q 'no term "no such term"' "$work/err"
run terms sofmax --lang en
check "tfx terms refuses what is no term" test $status = 2
check "and names the nearest" grep -q 'did you mean softmax' "$work/err"
run terms "$(printf '\033[31m')"
check "and shows no escape" test $status = 2 -a -z "$(tr -d '\n -~' <"$work/err")"
run terms --width 20
check "a narrow terminal has the terms too" grep -q argmax "$work/out"
run terms key --save key.html
check "a term is saved in both languages" grep -q 'lang="zh">键  key<' key.html
run terms --json
check "tfx terms --json is a document" balanced <"$work/out"
cp "$work/out" "$work/reference"
run terms --json --lang zh --width 40 --ascii
check "the same in every language and width" cmp -s "$work/reference" "$work/out"


# --- the head of a page ----------------------------------------------------------------------------------------------

for language in en zh; do
  for lesson in "${lessons[@]}"; do
    if [[ $lesson == train || $lesson == bench ]]; then continue; fi # they take their time
    run "$lesson" --lang $language
    check "tfx $lesson says where it is, in at most two rows ($language)" test "$(
      sed '/^$/q' "$work/out" | awk '/^(map|地图) / { inside = 1 } inside && NF { rows++ } END { print rows == 1 || rows == 2 }'
    )" = 1
  done
done
run block --lang en --no-time
check "block's place has the norm where the page computes it" finds "[norm] → self-attention → [add]"
run block --norm-last --lang en --no-time
check "and behind the sum with --norm-last" finds "self-attention → [add & norm]"

finish
