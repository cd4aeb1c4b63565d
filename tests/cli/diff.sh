#!/usr/bin/env bash
# tfx diff: statuses, places, tolerances, JSON, bad files, hostile names.
#   tests/cli/diff.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

command=(diff)

"$tfx" attention --save a.npz --quiet >/dev/null
"$tfx" attention --init normal --d-model 3 --n-q 4 --save b.npz --quiet >/dev/null
printf '1,2,3\n4,5,6\n' >m.csv
printf '1,4\n2,5\n3,6\n' >t.csv
printf '1,2,3\n4,5,6.5\n' >n.csv
printf 'nan,2,inf\n' >x.csv
printf '1,2,inf\n' >y.csv

shows "a file equals itself" 0 "arrays are equal" a.npz a.npz
shows "two runs differ" 1 "First to differ" a.npz b.npz
shows "where, and what stands there" 1 "most at [1, 2]: 6 in A, 6.5 in B" m.csv n.csv
shows "how far" 1 "5.00e-01" m.csv n.csv
shows "a relative tolerance" 0 "1 of 1 arrays are equal" m.csv n.csv --rtol 0.1
shows "an absolute tolerance" 0 "0.5 + 0" m.csv n.csv --atol 0.5
shows "a tolerance too small" 1 "0 of 1" m.csv n.csv --atol 0.4999
shows "transposed" 1 "B is A transposed" m.csv t.csv
shows "shapes" 1 "shape 2×3 in A, 3×2 in B" m.csv t.csv
shows "NaN equals NaN" 0 "equal" x.csv x.csv
shows "NaN beside a number" 1 "NaN in one of them" x.csv y.csv
shows "standard input twice" 2 "named twice" - -
shows "no such file" 66 "gone.npz" a.npz gone.npz
head -c 100 a.npz >cut.npz
shows "a damaged file" 65 "cut.npz" a.npz cut.npz
shows "a tolerance that is none" 2 "--rtol takes a number" a.npz a.npz --rtol -1
shows "one file alone" 2 "needs a B" a.npz
shows "equal ones are listed with --all" 0 "weights" a.npz a.npz --all
shows "Chinese" 1 "最先不同的是" m.csv n.csv --lang zh

run diff a.npz b.npz --json
check "JSON balances" balanced <"$work/out"
check "JSON says which is first" grep -q '"first": "' "$work/out"
run diff x.csv y.csv --json
check "JSON spells NaN" grep -q '"max_abs":"NaN"' "$work/out"

# a safetensors file whose names would drive a terminal
header='{"\u001b[31mred":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
{ printf '%b' "\\x$(printf %x ${#header})\\0\\0\\0\\0\\0\\0\\0"; printf '%s' "$header"; printf '\0\0\200?'; } >evil.safetensors
printf '2\n' >two.csv
run diff evil.safetensors two.csv
check "escape characters are shown, not sent" test "$(grep -c $'\033' "$work/out")" = 0
for width in 40 80; do
  run diff a.npz b.npz --width "$width" --ascii --lang en
  widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
  check "within $width columns" test "$widest" -le "$width"
done

finish
