#!/usr/bin/env bash
# The learner's progress: what is recorded and what is not, the map, next, hint, reset, and files that are broken, not
# there, or cannot be written.
#   tests/cli/progress.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
has_terminals || finish
state=$XDG_STATE_HOME/tfx
file=$state/progress

# at_terminal COMMAND…: with a terminal for all three; what it says, notes too, is in $work/out.
at_terminal() {
  timeout "$TEST_SECONDS" script -qec "${*@Q}" /dev/null >"$work/out" </dev/null
  status=$?
}
# studied LINE…: the progress has exactly these lines below its heading and comments.
studied() { [[ $(grep -v '^#' "$file" 2>/dev/null) == "$(printf '%s\n' "tfx progress 1" "$@")" ]]; }
has() { grep -Fq -- "$1" "$work/out"; }
notes() { grep -Fq -- "$1" "$work/err"; }
# begin [LINE…]: a progress with these lines.
begin() {
  rm -rf "$XDG_STATE_HOME"
  mkdir -p "$state"
  printf '%s\n' "tfx progress 1" "$@" >"$file"
}

# --- what is recorded ------------------------------------------------------------------------------------------------

run scores
run scores --json
run next
check "what a script runs is not recorded" test ! -e "$XDG_STATE_HOME"
at_terminal "$tfx" scores
check "a lesson seen at a terminal is" studied "scores seen"
check "the file says what it is" grep -q '^# .*tfx reset' "$file"
at_terminal "$tfx" words --json
check "not with --json" studied "scores seen"
at_terminal "$tfx" wrods
check "nor what is no lesson" studied "scores seen"
at_terminal "$tfx" explain scores scores 0 2
check "nor what explains" studied "scores seen"
at_terminal "$tfx" params gpt2
check "one without questions is" studied "scores seen" "params seen"
at_terminal "$tfx" scores --text "the cat sat"
check "the last one stands last" studied "params seen" "scores seen"
before=$(stat -c %i "$file")
at_terminal "$tfx" scores
check "what changes nothing writes nothing" test "$(stat -c %i "$file")" = "$before"
check "nothing is left beside it" test "$(ls -A "$state")" = progress

begin
lessons=(lookup words qkv scores softmax attention sdpa masked multihead cross embed block)
for lesson in "${lessons[@]}"; do
  timeout "$TEST_SECONDS" script -qec "${tfx@Q} $lesson" /dev/null >/dev/null </dev/null &
done
wait
check "twelve terminals at once keep twelve marks" test "$(grep -c ' seen$' "$file")" = 12
check "and nothing is left beside them" test "$(ls -A "$state")" = progress

# --- next, hint, the map ---------------------------------------------------------------------------------------------

begin
at_terminal "$tfx" next
check "next begins with one sentence through the whole machine" has "tfx tour"
check "and records it" studied "tour seen"
at_terminal "$tfx" next
check "then comes the first lesson" has "tfx lookup"
check "and is recorded" studied "tour seen" "lookup seen"
at_terminal "$tfx" next
check "then comes the second" studied "tour seen" "lookup seen" "words seen"
begin "lookup done"
at_terminal "$tfx" next
check "who has begun before goes on" studied "lookup done" "words seen"
begin "scores seen" "bench seen"
run next
check "behind the last comes the first that was left out" has "tfx lookup"
begin "loss seen"
at_terminal "$tfx" next
check "behind a first page comes the next of the same lesson" studied "loss seen" "loss-back seen"
begin "train seen" "train-adam seen"
run next --lang en
check "in a pipe the page alone is shown" test "$(grep -c '^think ' "$work/out")" = 0
check "and what may be run behind it named" has "tfx train teaches"
check "behind the last page of its lesson" has "tfx train step rate"
check "and status 0" test $status = 0

# dialogue KEYS ARGUMENT…: at a terminal of 80 columns and 24 rows, the pager less; what is typed comes from KEYS.
dialogue() {
  local keys=$1
  shift
  { printf '%b' "$keys"; sleep 3; } | timeout "$TEST_SECONDS" script -qec "stty rows 24 cols 80 -echo; COLUMNS= TERM=xterm NO_COLOR=1 PAGER='less -FRX' ${tfx@Q} ${*@Q}" /dev/null >"$work/out"
  check "nothing is waited for behind the last key ($*)" test "${PIPESTATUS[1]}" != 124
}
# before FIRST SECOND: both stand there, the one before the other.
before() { tr -d '\r' <"$work/out" | awk -v a="$1" -v b="$2" 'index($0, a) && !one { one = NR } index($0, b) { two = NR } END { exit !(one && two > one) }'; }
begin "qkv seen"
dialogue 'the one that points the same way\nGq' next --lang en
check "a lesson is asked before it is shown" before "think " "every query meets every key"
check "what the learner thought stands behind the page" before "every query meets every key" "you      the one that points the same way"
check "and what comes of it" before "you  " "answer "
check "and it is seen" studied "qkv seen" "scores seen"
begin "qkv seen"
dialogue '\nq' next --lang zh
check "an empty line goes on" before "想一想 " "答案 "
for way in block:model params:errata errata:bench; do
  begin "${way%:*} seen"
  case $way in
    *:bench) dialogue '\nq\n' next --lang en ;; # no pager takes the q, but a question that wants a line
    *) dialogue '\nq' next --lang en ;;
  esac
  check "${way#*:}, whose page is no run, is asked too" before "think " "answer "
done
begin "decode seen"
dialogue '\nq\n' next --lang en
check "the way does not stop" studied "decode seen" "cache seen"
begin "cache seen"
for lesson in params gpt rope rope-waves rope-pairs modern modern-depth modern-models modern-flash induction induction-growth induction-copies induction-matches induction-trap lens lens-sum lens-change errata bench lookup; do
  at_terminal "$tfx" next
  check "next comes to $lesson" test "$(tail -n 1 "$file")" = "$lesson seen"
done
printf '%s seen\n' lookup words qkv scores softmax attention sdpa bpe embed masked multihead cross block model loss train \
  decode cache params gpt rope rope-waves rope-pairs modern modern-depth modern-models modern-flash induction induction-growth induction-copies induction-matches induction-trap lens lens-sum lens-change errata bench | sed '1i tfx progress 1' >"$file"
run next --lang en
check "behind the last lesson comes a closing page" has "You have been through the whole Transformer"
check "which says where to read on" has "read on  Attention Is All You Need"
check "and what is open" has "tfx quiz lookup"
check "and stays" test $status = 0
run list --lang en
check "the list does not begin again" has "You have seen every lesson."
begin
run hint
check "before the beginning the hint says how to begin" has "tfx next"
begin "scores seen"
run hint
check "a hint has a question" has "question"
check "and two hints" test "$(grep -c '^hint ' "$work/out")" = 2
begin "scores done" "words seen" "bench seen"
run list --lang en
for line in "✓  3  tfx scores" "·  1  tfx words" "✓ tfx bench" "→  0  tfx lookup" "   4  tfx softmax"; do
  check "the map has $line" has "$line"
done
run --lang en
check "tfx alone says what was done" has "2 of 24 lessons seen"
check "and where to go on" has "tfx next goes on with tfx lookup"
check "to look at the map changes nothing" studied "scores done" "words seen" "bench seen"
run scores --json --no-time
cp "$work/out" "$work/with"
rm -rf "$XDG_STATE_HOME"
run scores --json --no-time
check "--json is the same with and without progress" cmp -s "$work/out" "$work/with"

# --- reset -----------------------------------------------------------------------------------------------------------

begin "scores done" "words seen"
run reset scores
check "one lesson is forgotten" studied "words seen"
run reset
check "all is forgotten" studied
check "the file before is kept" grep -q "words seen" "$file.prev"
run reset
check "to forget nothing is no error" test $status = 0
run reset scors
check "a lesson that is none is refused" test $status = 2
check "with a suggestion" notes "scores"

# --- broken files ----------------------------------------------------------------------------------------------------

for broken in "no progress" "tfx progress 2" $'tfx progress 1\nscores maybe' ''; do
  begin
  printf '%s' "$broken" >"$file"
  run list
  check "the map stands with a broken file" test $status = 0
  check "and says so" notes "progress"
  check "and leaves it" test "$(<"$file")" = "$broken"
  at_terminal "$tfx" scores
  check "a lesson runs" test $status = 0
  check "the broken file is kept aside" test "$(cat "$file.broken")" = "$broken"
  check "with a note" has "progress.broken"
  check "and a new one begins" studied "scores seen"
  echo again >"$file"
  at_terminal "$tfx" words
  check "a second broken one does not overwrite the first" test "$(cat "$file.broken")$(cat "$file.broken.2")" = "${broken}again"
done
begin
echo mine >"$file"
run reset
check "reset begins anew" studied
check "and keeps the broken file" grep -q mine "$file.broken"
begin
head -c 100000 /dev/zero >"$file"
run list
check "a file of zeros is no progress" notes "too long"
begin
rm "$file" && mkfifo "$file"
run list
check "nobody waits for a pipe" test $status = 0
rm "$file" && mkdir "$file" && touch "$file/kept"
at_terminal "$tfx" scores
check "a folder is kept aside as well" test -e "$file.broken/kept"

# --- no place to write -----------------------------------------------------------------------------------------------

# goes_on NAME VARIABLE=VALUE…: a lesson's screen is as ever, the map too, and reset with status 73 says why not.
goes_on() {
  local name=$1
  shift
  env "$@" "$tfx" scores --no-time >"$work/out" 2>"$work/err" </dev/null
  check "$name: a lesson runs" test $? = 0
  check "$name: without a word" test ! -s "$work/err"
  at_terminal env "$@" "$tfx" scores --no-time
  check "$name: at a terminal too" test $status = 0
  env "$@" "$tfx" list >"$work/out" 2>"$work/err" </dev/null
  check "$name: the map" test $? = 0
}
goes_on "no HOME" -u HOME -u XDG_STATE_HOME
env -u HOME -u XDG_STATE_HOME "$tfx" reset >"$work/out" 2>&1
check "no HOME: there is nothing to reset" test $? = 0
echo file >"$work/file"
goes_on "a file where the folder should be" XDG_STATE_HOME="$work/file"
goes_on "a state folder that is not there" XDG_STATE_HOME=/proc/nowhere
begin "scores seen"
chmod 0555 "$state"
if [[ -w $state ]]; then
  echo "# the read-only folder is left out: this user may write everywhere" >&2
else
  goes_on "a read-only folder"
  run reset
  check "a reset that cannot write is an error" test $status = 73
  check "and the progress is as it was" studied "scores seen"
fi
chmod 0755 "$state"
rm "$file" && ln -s /dev/full "$file"
at_terminal "$tfx" scores
check "a full device: a lesson runs" test $status = 0
rm "$file" && ln -s /proc/version "$file" # it can be read, is no progress, and nothing can be put beside it
begin "scores seen"
(ulimit -f 0 && "$tfx" reset >/dev/null 2>"$work/err")
check "a reset that cannot write is an error: no room" test $? = 74
check "and the old progress is there" studied "scores seen"

finish
