#!/usr/bin/env bash
# tfx inspect: every kind of file, values by name, models, JSON, bad and hostile files.
#   tests/cli/inspect.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

command=(inspect)

"$tfx" attention --save a.npz --quiet >/dev/null
printf '1,2\nnan,-4\n' >m.csv

shows "an npz" 0 "a.npz: npz" a.npz
shows "an npy" 0 "2×3" "$root/data/reference/io/f4_2x3.npy"
shows "Fortran order" 0 "2×3" "$root/data/reference/io/f8_be_fortran_2x3.npy"
shows "a scalar" 0 "scalar" "$root/data/reference/io/f8_scalar.npy"
shows "an empty array" 0 "0×3" "$root/data/reference/io/f8_0x3.npy"
shows "a csv" 0 "-4" m.csv
shows "its NaN" 0 "NaN" m.csv
shows "the shipped model" 0 "An encoder-decoder: N =" "$root/data/models/reverse.safetensors"
shows "its metadata" 0 "task: reverse" "$root/data/models/reverse.safetensors"
shows "heads unsaid" 0 "heads unsaid" "$root/data/reference/model/layers-1.weights.npz"
shows "values of one" 0 "0.9852" a.npz output
shows "values by a pattern" 0 "W_V" a.npz 'W_*'
shows "a near miss" 2 "did you mean weights" a.npz weigths
shows "no such file" 66 "gone.npy" gone.npy
: >empty.npy
shows "an empty file" 65 "the file is empty" empty.npy
head -c 60 "$root/data/reference/io/f4_2x3.npy" >cut.npy
shows "a cut file" 65 "cut.npy" cut.npy
shows "no file" 2 "needs a FILE" 
shows "Chinese" 0 "形状" a.npz --lang zh

run inspect a.npz --json
check "JSON balances" balanced <"$work/out"
check "JSON has no values unasked" test "$(grep -c '"data"' "$work/out")" = 0
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, 'shape': (2147483648, 0), }" >rows.npy
run inspect rows.npy '*' --json
check "rows without cells end" test "$status" = 0 -a "$(wc -c <"$work/out")" -lt 2000
run inspect m.csv --json
check "a csv's mean" grep -q '"nan":1' "$work/out"
run inspect a.npz output --json
check "JSON with values" grep -q '"data":\[\[' "$work/out"
cp "$work/out" said.json
cp a.npz $'line\n- of: another.npz'
shows "a name of two lines is one" 0 'line\n- of: another.npz: npz' $'line\n- of: another.npz'
run inspect a.npz output --save saved.json
check "--save FILE.json is the JSON" cmp -s saved.json said.json
run inspect "$root/data/models/reverse.safetensors" --save saved.html
check "--save FILE.html has the page, a line of metadata each" grep -qx 'heads: 4' saved.html

# a safetensors file whose names and metadata would drive a terminal
header='{"__metadata__":{"k":"\u001b]0;x\u0007"},"\u001b[31mred":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
{ printf '%b' "\\x$(printf %x ${#header})\\0\\0\\0\\0\\0\\0\\0"; printf '%s' "$header"; printf '\0\0\200?'; } >evil.safetensors
run inspect evil.safetensors
check "a hostile file is shown" test "$status" = 0
check "escape characters are shown, not sent" test "$(LC_ALL=C grep -c $'[\033\a]' "$work/out")" = 0

# What is not read has a row that says so, and the rest is read all the same.
safetensors() { # HEADER BYTES
  printf '%b' "\\x$(printf %02x $((${#1} % 256)))\\x$(printf %02x $((${#1} / 256)))\\0\\0\\0\\0\\0\\0"
  printf '%s' "$1"
  head -c "$2" /dev/zero
}
header='{"x":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"f8":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[8,12]},"seen":{"dtype":"BOOL","shape":[2],"data_offsets":[12,14]},"i8":{"dtype":"I8","shape":[2],"data_offsets":[14,16]},"i16":{"dtype":"I16","shape":[2],"data_offsets":[16,20]},"c":{"dtype":"C64","shape":[1],"data_offsets":[20,28]}}'
safetensors "$header" 28 >types.safetensors
shows "a type that is not read" 0 "not read: F8_E4M3" types.safetensors
shows "in Chinese" 0 "没有读：F8_E4M3" types.safetensors --lang zh
shows "another" 0 "not read: C64" types.safetensors
for type in bool int8 int16 float32; do shows "beside it $type" 0 "$type" types.safetensors; done
run inspect types.safetensors --json
check "JSON balances with them" balanced <"$work/out"
check "JSON says that they are not read" test "$(grep -o '"read":false' "$work/out" | wc -l)" = 2
shows "its values cannot be asked for" 0 "not read: F8_E4M3" types.safetensors f8
LC_ALL=C sed 's/W_Q\.npy/W_Q.txt/g' a.npz >readme.npz
shows "a file in an archive that is no array" 0 "not read: no array" readme.npz
shows "in Chinese too" 0 "没有读：不是数组" readme.npz --lang zh
shows "and the arrays beside it" 0 "weights" readme.npz
printf 'Dear reader,\nthese are no numbers.\n' >letter.txt
shows "a text" 0 "not read: text" letter.txt
printf 'word,x\ncat,1\n' >words.csv
shows "a table of words" 0 "not read: text" words.csv
npy() { # DESCR BYTES: of shape (2,)
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': $1, 'fortran_order': False, 'shape': (2,), }"
  head -c "$2" /dev/zero
}
npy "'<U5'" 40 >words.npy
shows "an array of texts" 0 "not read: '<U5'" words.npy
npy "'|O'" 7 >objects.npy
shows "an array of objects" 0 "not read: '|O'" objects.npy
npy "[('a', '<f8'), ('b', '<i4')]" 24 >records.npy
shows "an array of records" 0 "not read: [('a', '<f8')" records.npy --width 160
npy "'<c16'" 32 >complex.npy
shows "an array of complex numbers" 0 "not read: '<c16'" complex.npy
npy "[('a', '<f8')" 24 >open.npy
shows "a damaged header" 65 "open.npy" open.npy
for width in 40 80; do
  run inspect "$root/data/models/reverse.safetensors" --width "$width" --ascii --lang en
  widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
  check "within $width columns" test "$widest" -le "$width"
done

finish
