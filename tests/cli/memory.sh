#!/usr/bin/env bash
# With little memory a run ends at once: with the right answer, or with a message and status 71. No file takes more
# memory than its numbers need.
#   tests/cli/memory.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# limited KILOBYTES ARGUMENT…: tfx in so much address space, for at most 20 s.
limited() {
  (
    ulimit -v "$1" || exit
    shift
    exec timeout 20 "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
  ) 2>/dev/null
}

if ! limited 4000000 --version; then
  ok "limits on memory are left out: a sanitizer takes more by itself"
  finish
fi

# --- limits on the address space -------------------------------------------------------------------------------------

# Below some 30 MB the program itself cannot be loaded, which is not ours to report: --version fails there too.
refused=0 answered=0
for command in "scores --no-time" "softmax --no-time --json" "multihead --no-time --save run.npz"; do
  # shellcheck disable=SC2086 # the arguments are words
  run $command
  mv "$work/out" "$work/expected"
  for kilobytes in {20000..50000..2000} {60000..150000..10000} {156000..220000..2000} {240000..400000..20000}; do
    if ! { limited $kilobytes --version; } 2>/dev/null; then continue; fi
    # shellcheck disable=SC2086
    limited $kilobytes $command
    status=$?
    if ((status == 71)) && [[ $(<"$work/err") == "tfx: "* && ! -s $work/out ]]; then
      refused=$((refused + 1))
    elif ((status == 0)) && cmp -s "$work/expected" "$work/out"; then
      answered=$((answered + 1))
    else
      not_ok "tfx $command in $kilobytes kB" "status $status: $(first_lines "$work/err")"
    fi
  done
done
check "too little address space is refused" test $refused -gt 20
check "enough address space is answered" test $answered -gt 20

# A line beyond memory is not the end of the input.
{ head -c 150000000 /dev/zero | tr '\0' x && echo; } >long.txt
(
  ulimit -v 250000
  exec timeout 20 "$tfx" bench --worker <long.txt >"$work/out" 2>"$work/err"
)
check "a line beyond memory is refused with 71" test $? = 71 -a -s "$work/err"
rm long.txt

# --- estimates -------------------------------------------------------------------------------------------------------

# 60,000 words have 3.6e9 scores, of which qkv computes none.
(cd "$work" && seq 60000 | sed 's/$/,1,2,3/' >many.csv)
limited 1000000 qkv --x "$work/many.csv" --quiet
check "what fits is not refused" test $? = 0
limited 1000000 scores --x "$work/many.csv" --quiet
check "what does not is refused with the estimate" test $? = 71 -a -n "$(grep -o 'GB of memory' "$work/err")"

words=$(printf 'w%d ' {1..1000})
limited 300000 masked --text "$words" --quiet
check "a lesson fits" test $? = 0
limited 300000 masked --text "$words" --json
check "its JSON does not, and is estimated" test $? = 71 -a -n "$(grep 'the JSON of this run needs about' "$work/err")"
limited 300000 break masked --text "$words"
check "nor a second run beside it, with a mistake" test $? = 71 -a -n "$(grep 'mistake in it needs about' "$work/err")"

# On a model's numbers its whole page comes with the lesson: 4,000 letters took 6.4 GB, and 12 s before this.
letters=$(awk 'BEGIN {srand(1); for (i = 0; i < 1000; ++i) printf "%s", substr("abcdefghij", 1 + int(10 * rand()), 1)}')
for lesson in masked multihead embed; do
  limited 900000 $lesson --model reverse --text "$letters" --quiet
  check "$lesson of 1,000 letters on a model fits" test $? = 0
  limited 330000 $lesson --model reverse --text "$letters" --quiet
  check "where it does not it is estimated" test $? = 71 -a -n "$(grep "the model's page needs about" "$work/err")"
done
(ulimit -t 2 && limited 2000000 masked --model reverse --text "$letters$letters$letters$letters")
check "4,000 letters are refused at once" test $? = 71 -a -n "$(grep "the model's page needs about 7.[0-9]* GB" "$work/err")"
limited 900000 model --weights reverse --text "$letters" --quiet
check "the whole model fits too" test $? = 0
limited 400000 model --weights reverse --text "$letters" --quiet
check "and is estimated" test $? = 71 -a -n "$(grep 'a run of this size needs about' "$work/err")"

limited 250000 decode --model reverse --text "$letters$letters$letters" --quiet
check "what decode watches is estimated" test $? = 71 -a -n "$(grep 'a run of this size needs about 872 MB' "$work/err")"

awk 'BEGIN {srand(1); for (i = 0; i < 3000000; ++i) printf "%s", substr("ACGT", 1 + int(4 * rand()), 1)}' >acgt.txt
limited 700000 bpe train acgt.txt --merges 2000 --out merges.txt
check "merges of 3 MB in one piece fit into 700 MB" test $? = 0
limited 230000 bpe train acgt.txt --merges 2000
check "and are estimated where they do not" test $? = 71 -a -n "$(grep 'learning merges needs about 188 MB' "$work/err")"
limited 700000 bpe encode merges.txt --file acgt.txt
check "so do their ids" test $? = 0
limited 140000 bpe encode merges.txt --file acgt.txt
check "and are estimated too" test $? = 71 -a -n "$(grep 'encoding needs about 98 MB' "$work/err")"

# --- explanations ----------------------------------------------------------------------------------------------------

# As a tree, with every cell below every cell that reads it, these take gigabytes; the lesson itself takes some 20 MB.
for form in "" --json; do
  (
    ulimit -v 300000
    # shellcheck disable=SC2086 # no word where there is no form
    exec "$tfx" explain multihead output 0 0 --d-model 48 --heads 4 --n-q 32 --depth 20 --all $form 2>"$work/err" | wc -c >"$work/out"
    exit "${PIPESTATUS[0]}"
  )
  check "every cell of a lesson explained in little memory ${form:-on the screen}" test $? = 0 -a "$(<"$work/out")" -gt 1000000
done

# --- how lessons grow ------------------------------------------------------------------------------------------------

# What grew as n³ took 31 s of processor time here; a limit on it asks the same of a busy machine.
words=$(printf 'w%d ' {1..2000})
for lesson in masked loss; do
  (
    ulimit -t 12
    exec "$tfx" "$lesson" --text "$words" --quiet >"$work/out" 2>"$work/err"
  )
  check "$lesson of 2,000 words" test $? = 0
done
(
  ulimit -t 12
  exec "$tfx" attention --v "$work/many.csv" --n-q 8 --quiet >"$work/out" 2>"$work/err"
)
check "eight queries over 60,000 values" test $? = 0

finish
