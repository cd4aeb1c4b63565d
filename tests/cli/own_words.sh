#!/bin/bash
# A learner's own words: what is suggested at the foot of a page is on them, and runs.

self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# suggestions_run LESSON ARGUMENT…: the commands that its page names with the learner's text in them end with 0.
suggestions_run() {
  local lesson=$1 count=0 one
  shift
  run "$lesson" "$@" --width 1000
  while read -r one; do
    count=$((count + 1))
    if ! (eval "$one") >"$work/out2" 2>"$work/err2" </dev/null; then
      not_ok "$lesson suggests what runs" "$one: $(head -n 1 "$work/err2")"
      return
    fi
  done < <(grep -oE 'tfx [a-z]+( [a-z]+)*( [^ -][^ ]*)* --[^:]*$' "$work/out" | grep -- "--text" | grep -v -- "--show")
  local least=2
  if [[ $lesson == sdpa ]]; then least=1; fi # the next lesson learns from a text, which a sentence is too short for
  check "$lesson suggests $count commands on the learner's text" test "$count" -ge $least
}
tfx() { "$tfx" "$@"; }
for lesson in lookup words qkv scores softmax attention sdpa masked multihead embed block loss; do
  suggestions_run "$lesson" --text '我爱 NLP，it’s "so"!' --seed 7
done
suggestions_run cross --text '我 爱' --source 'I love you.'

run scores --text "a b"
check "no other text is proposed" bash -c "! grep -q 'the cat sat' '$work/out'"
shows_match "what a token is, in English" 0 "A token is one piece of text" scores --text "a b"
shows "what a token is, in Chinese" 0 "词元（token）是文本切成的一段" scores --text "我 爱" --lang zh
printf '1,2\n3,4\n' >x.csv
shows "a row for each token" 65 "x.csv 有 2 行，--text 有 3 个词元：a b c" scores --lang zh --x x.csv --text "a b c"
shows "names of rows" 0 "tfx explain scores scores 猫 cat --text '猫 cat' --x x.csv" scores --x x.csv --text "猫 cat"
shows "one text for the decoder, one for the encoder" 0 "love" cross --text "我 爱" --source "I love you"
finish
