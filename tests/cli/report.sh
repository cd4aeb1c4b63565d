#!/usr/bin/env bash
# Pages, seen from outside: what --save x.html and tfx report write, refuse and fall back to.
#   tests/cli/report.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# refused STATUS WORDS ARGUMENT…: the status, the words in the message, and no file.
refused() {
  local wanted=$1 words=$2 name
  shift 2
  name="$(name_of "$@") is refused"
  rm -f page.html
  run "$@"
  if ((status != wanted)); then
    not_ok "$name" "status $status: $(first_lines "$work/err")"
  elif ! grep -qF -- "$words" "$work/err"; then
    not_ok "$name" "it says: $(first_lines "$work/err")"
  elif [[ -e page.html || -s $work/out ]]; then
    not_ok "$name" "it wrote something"
  else
    ok "$name"
  fi
}

# sections FILE: the ids of its sections.
sections() { grep -o '<section id="[a-z]*"' "$1" | sed 's/.*"\(.*\)"/\1/' | tr '\n' ' '; }

# --- one run ---------------------------------------------------------------------------------------------------------

for lesson in lookup words qkv scores softmax attention sdpa masked multihead cross embed block loss; do
  run "$lesson" --quiet --no-time --save page.html
  check "tfx $lesson saves a page" test "$status $(sections page.html)" = "0 $lesson "
  check "and says how its numbers are asked for" grep -q 'class="hint"' page.html
  mv page.html first.html
  run "$lesson" --quiet --no-time --save page.html --lang zh
  check "tfx $lesson --lang zh saves the same but for what is shown first" \
    cmp -s <(sed -E 's/<html lang="..."?[^>]*>|<title>[^<]*<\/title>| checked//g' first.html) \
    <(sed -E 's/<html lang="..."?[^>]*>|<title>[^<]*<\/title>| checked//g' page.html)
done
run model --quiet --save page.html
check "tfx model saves a page" test "$status $(sections page.html)" = "0 model "
run decode --quiet --save page.html
check "tfx decode saves a page" test "$status $(sections page.html)" = "0 decode "
run scores --quiet --no-time --save page.html
sum=$(sha256sum <page.html)
run scores --quiet --no-time --save page.html
check "equal input gives equal bytes" test "$sum" = "$(sha256sum <page.html)"

# --- the report ------------------------------------------------------------------------------------------------------

whole="contents lookup words qkv scores softmax attention sdpa bpe embed masked multihead cross block model loss train training decode decoding cache params counted gpt rope modern induction lens "
run report page.html --no-time --steps 20
check "a report has the whole course" test "$status $(sections page.html)" = "0 $whole"
check "a report is smaller than 5 MB" test "$(stat -c %s page.html)" -lt 5000000
check "on its own data no lesson falls back" test "$(grep -c 'class="remark"' page.html)" = 0
sum=$(sha256sum <page.html)
run report page.html --no-time --steps 20
check "equal input gives an equal report" test "$sum" = "$(sha256sum <page.html)"
run report page.html --steps 0
check "without words the whole model is the translator" grep -q 'en-zh reads “' page.html
check "--steps 0 leaves the training out" test "$status $(sections page.html)" = "0 ${whole/ training/}"

run report page.html --steps 0 --text "hello world" --causal
check "the learner's words are in it" grep -q '<th scope="row">hello</th>' page.html
check "a lesson that they do not fit says so" grep -q 'class="remark"' page.html
run report page.html --steps 0 --text "click the red cell"
# before_loss FILE: the report up to the lesson loss, whose weights learn and are drawn.
before_loss() { awk -v RS='<section id="' '/^loss"/ { exit } { print }' "$1"; }
check "words that the translator knows are read by it, and nothing is drawn before the loss" test "$(before_loss page.html | grep -c 'model en-zh')" -gt 0 -a "$(before_loss page.html | grep -c 'np.random')" = 0
run report page.html --steps 0 --text "olleh"
check "a model that reads letters reads the learner's" grep -q 'reads “olleh” and writes “hello”' page.html
run report page.html --steps 0 --model en-zh --text "Click the red cell."
check "the lessons and the whole model are on the model that is asked for" bash -c "! grep -q 'The trained model \(reverse\|numbers-zh\) reads' page.html"
check "the whole model too" grep -q 'en-zh reads “Click the red cell.” and writes' page.html
check "with what each of its heads looks at" grep -q 'layer 1, head 3: ' page.html
run report page.html --steps 0 --model reverse --text "aaaaaaaaaaaaaaaaaaaa"
check "a text too long to draw is told" grep -q 'Your text has 20 tokens' page.html
run report page.html --steps 0 --model reverse --text "hello world"
check "a text that the model cannot read is told" grep -q 'Your text cannot be read by reverse' page.html
run report page.html --steps 0 --text $'<script>alert("x")</script> \e[31m'
check "hostile words are escaped" test "$status $(grep -c '<script>alert' page.html) $(grep -c $'\e' page.html)" = "0 0 0"

refused 2 'end the name in .html' report page.txt
refused 66 'nothing.npy' report page.html --x nothing.npy
printf 'no numbers\n' >bad.csv
refused 65 'bad.csv' report page.html --x bad.csv
refused 2 '--heads takes a whole number' report page.html --heads 0
refused 73 'no/such/folder' report no/such/folder/page.html --steps 0
echo kept >page.html
run report page.html --x nothing.npy
check "a report that fails leaves the old file" test "$(<page.html)" = kept
finish
