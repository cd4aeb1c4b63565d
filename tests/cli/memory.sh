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

finish
