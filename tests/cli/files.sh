#!/usr/bin/env bash
# What --save writes can be read back, and a save that fails harms nothing; input from pipes and in every form of csv.
#   tests/cli/files.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# data TENSOR… <JSON: the name, shape and data of these tensors, a line each.
data() {
  local tensor
  sed 's/{"name":/\n&/g' >"$work/json"
  for tensor in "$@"; do
    sed -nE "s/^\{\"name\":\"($tensor)\",\"shape\":(\[[^]]*\]).*\"data\":([^}]*)\}.*/\1 \2 \3/p" "$work/json"
  done
}

# same NAME TENSORS COMMAND…: the data of the TENSORS are those in $work/expected.
same() {
  local name=$1 tensors=$2
  shift 2
  run "$@" --json --no-time --show "${tensors// /,}"
  # shellcheck disable=SC2086 # the tensors are words
  data $tensors <"$work/out" >"$work/actual"
  if ((status != 0)); then
    not_ok "$name" "status $status: $(first_lines "$work/err")"
  elif [[ ! -s $work/actual ]] || ! cmp -s "$work/expected" "$work/actual"; then
    not_ok "$name" "other data: $(first_lines "$work/actual")"
  else
    ok "$name"
  fi
}

# expect TENSORS COMMAND…: what the next runs are compared with.
expect() {
  local tensors=$1
  shift
  run "$@" --json --no-time --show "${tensors// /,}"
  # shellcheck disable=SC2086 # the tensors are words
  data $tensors <"$work/out" >"$work/expected"
  # shellcheck disable=SC2086
  if (($(wc -l <"$work/expected") != $(wc -w <<<$tensors))); then
    not_ok "$(name_of "$@")" "it does not show $tensors: $(first_lines "$work/err")"
  fi
}

all='X W_Q W_K W_V Q K V scores scaled weights output'

# --- round trips -----------------------------------------------------------------------------------------------------

for tutorial in fun-transformer happy-llm:2; do
  expect "$all" attention --tutorial $tutorial
  run attention --tutorial $tutorial --quiet --save run.npz
  run attention --tutorial $tutorial --quiet --save X.csv --show X
  same "$tutorial: the tokens as csv, the weights as npz" "$all" attention --x X.csv --weights run.npz
  check "$tutorial: tensors that are not used are named" grep -q 'run.npz: not used here: .*scores' "$work/err"
  for tensor in Q K V; do run attention --tutorial $tutorial --quiet --save $tensor.csv --show $tensor; done
  expect 'Q K V scores scaled weights output' attention --tutorial $tutorial
  same "$tutorial: queries, keys and values as csv" 'Q K V scores scaled weights output' \
    attention --q Q.csv --k K.csv --v V.csv
  same "$tutorial: in the next lesson" 'Q K V scores scaled weights output' sdpa --q Q.csv --k K.csv --v V.csv
done

expect "$all" attention --text 'the cat sat on the mat' --seed 7 --init xavier
run attention --text 'the cat sat on the mat' --seed 7 --init xavier --quiet --save run.npz
run attention --text 'the cat sat on the mat' --seed 7 --init xavier --quiet --save X.csv --show X
same "own words" "$all" attention --x X.csv --weights run.npz
paste -d, <(printf '%s\n' the cat sat on the mat) X.csv >words.csv
same "own words with labels" "$all" attention --words words.csv --weights run.npz

expect 'X W_O concat output' multihead --d-model 8 --heads 2 --seed 3
run multihead --d-model 8 --heads 2 --seed 3 --quiet --save run.npz
run multihead --d-model 8 --heads 2 --seed 3 --quiet --save X.csv --show X
same "heads" 'X W_O concat output' multihead --x X.csv --heads 2 --weights run.npz

expect 'mask weights output' masked --text 'I like you' --causal
printf '1,0,0\n1,1,0\n1,1,1\n' >mask.csv
same "a causal mask by hand" 'mask weights output' masked --text 'I like you' --mask mask.csv

expect 'b_Q b_K b_V output' attention --tutorial annotated
run attention --tutorial annotated --quiet --save run.npz
run attention --tutorial annotated --quiet --save X.csv --show X
same "biases" 'b_Q b_K b_V output' attention --x X.csv --weights run.npz

run multihead --text 'a b' --quiet --save W_O.npz --show W_O
run attention --text 'a b' --d-model 4 --weights W_O.npz
check "a W_O that one head has no use for is named" grep -q 'not used here: .*W_O$' "$work/err"

# --- what --save writes ----------------------------------------------------------------------------------------------

run softmax --quiet --save first.npz
run softmax --quiet --save second.npz
check "an npz written twice has the same bytes" cmp -s first.npz second.npz
run softmax --json --no-time --save saved.json
check "the json file is what --json prints" cmp -s saved.json "$work/out"
run scores --quiet --save scores.csv
check "the csv file holds the lesson's main tensor" test "$(<scores.csv)" = $'8,2,10,2\n4,0,4,0\n12,2,14,2\n10,4,14,3'
(umask 022 && "$tfx" qkv --quiet --save open.npz && umask 077 && "$tfx" qkv --quiet --save closed.npz) >/dev/null
check "a new file follows the umask" test "$(stat -c %a open.npz closed.npz | xargs)" = "644 600"
echo old >kept.npz
chmod 640 kept.npz
run qkv --quiet --save kept.npz
check "a file that is replaced keeps its mode" test "$(stat -c %a kept.npz)" = 640
check "and has the new content" cmp -s kept.npz open.npz
echo old >target.npz
ln -s target.npz link.npz
run qkv --quiet --save link.npz
check "a link stays a link" test -L link.npz
check "and its target is written" cmp -s target.npz open.npz
run qkv --quiet --save ./-odd\ name.npz
check "odd names" cmp -s ./-odd\ name.npz open.npz

# --- saves that fail -------------------------------------------------------------------------------------------------

# keeps NAME STATUS COMMAND…: it fails with STATUS, old.npz is as it was, and nothing else is left in the folder.
keeps() {
  local name=$1 expected=$2 status=0
  shift 2
  rm -rf folder
  mkdir folder
  echo old >folder/old.npz
  (cd folder && "$@" >/dev/null 2>"$work/err") || status=$?
  if ((status != expected)); then
    not_ok "$name" "status $status, not $expected: $(first_lines "$work/err")"
  elif [[ $(<folder/old.npz) != old ]]; then
    not_ok "$name" "the old file is gone"
  elif [[ $(ls -A folder) != old.npz ]]; then
    not_ok "$name" "files are left: $(echo folder/* folder/.t*)"
  else
    ok "$name"
  fi
}

short_of_space() { # in a subshell: files may take 1,024 bytes, as on a disk that is nearly full
  ulimit -f 1
  exec "$@"
}

keeps "a file that may not grow" 74 short_of_space "$tfx" softmax --save old.npz
keeps "a tensor that is not there" 2 "$tfx" softmax --save old.npz --show nothing
keeps "a file that cannot be read" 66 "$tfx" softmax --save old.npz --x missing.npy
keeps "too little memory" 71 "$tfx" softmax --save old.npz --n-q 1000000
keeps "the folder is a file" 73 "$tfx" softmax --save old.npz/new.npz
rm -rf folder

# --- other ways in ---------------------------------------------------------------------------------------------------

printf '1,2\n3,4.5\n-6e-1,7\n' >plain.csv
expect 'X scores' scores --x plain.csv
same "a pipe" 'X scores' scores --x <(cat plain.csv)
"$tfx" scores --x - --json --no-time <plain.csv | data X scores >"$work/actual"
check "standard input from a file" cmp -s "$work/expected" "$work/actual"
"$tfx" scores --full --x - --no-time <plain.csv >"$work/out"
check "its name on a page" grep -q 'X  3×2  from standard input' "$work/out"
"$tfx" scores --full --x - --no-time --lang zh <plain.csv >"$work/out"
check "its name on a Chinese page" grep -q 'X  3×2  来自 标准输入' "$work/out"
"$tfx" explain scores X 0 1 --x - --lang zh <plain.csv >"$work/out"
check "its name where a cell comes from" grep -q '← 标准输入' "$work/out"
"$tfx" scores --x - --json --lang zh <plain.csv >"$work/out"
check "its name in JSON" grep -q '"formula":"standard input"' "$work/out"
"$tfx" words --words - <<<'cat,1,x' >"$work/out" 2>"$work/err"
check "its name in a message" grep -q 'tfx: standard input: line 1' "$work/err"
while IFS= read -r line; do sleep 0.05 && echo "$line"; done <plain.csv |
  "$tfx" scores --x - --json --no-time | data X scores >"$work/actual"
check "standard input that comes slowly" cmp -s "$work/expected" "$work/actual"
printf '\xef\xbb\xbf1,2\r\n3,4.5\r\n-6e-1,7\r\n' >excel.csv
same "a byte order mark and CRLF" 'X scores' scores --x excel.csv
printf '1\t2\n3\t4.5\n-6e-1\t7' >tab.tsv
same "tabs, and no newline at the end" 'X scores' scores --x tab.tsv
printf 'a;b\n1;2\n3;4.5\n-6e-1;7\n\n' >semicolon.csv
same "semicolons, a header, a blank line at the end" 'X scores' scores --x semicolon.csv
printf '# made by np.savetxt\n1.0e+00 2.0e+00\n3.0e+00 4.5e+00\n-6.0e-01 7.0e+00\n' >savetxt.txt
same "blanks and comments" 'X scores' scores --x savetxt.txt
printf '"1","2"\n"3","4.5"\n"-6e-1","7"\n' >quoted.csv
same "quotes" 'X scores' scores --x quoted.csv
printf ',a,b\n0,1,2\n1,3,4.5\n2,-6e-1,7\n' >pandas.csv
same "the index of pandas" 'X scores' scores --x pandas.csv
printf ',0,1\ncat,1,2\ndog,3,4.5\ncow,-6e-1,7\n' >pandas.csv
same "an index of words" 'X scores' scores --x pandas.csv
check "the header that was taken is named" grep -q 'tfx: pandas.csv: its first line, ",0,1", counts as a header' "$work/err"
run scores --x plain.csv --no-time
check "where there is none, nothing is said" test ! -s "$work/err"
printf 'True,False\nTrue,True\n' >mask.csv
run masked --text 'I like' --mask mask.csv --json --no-time --show mask
check "a mask of True and False" test "$(data mask <"$work/out")" = 'mask [2,2] [[1.0,0.0],[1.0,1.0]]'
printf 'cat\xe2\x80\x8b,1\ncat,2\n👩‍🚀,3\n' >unseen.csv
run scores --words unseen.csv --no-time --show X
check "words that only differ in what nobody sees look different" grep -q 'cat\\u200b' "$work/out"
check "and a joiner inside an emoji stays" grep -q '👩‍🚀' "$work/out"
"$tfx" scores --full --x <(sleep 1.5 && cat plain.csv) --no-time >"$work/out" 2>"$work/err"
check "a pipe that is late is waited for" grep -q 'X  3×2' "$work/out"
check "and it is said for what" grep -qE '^tfx: waiting for /dev/fd/[0-9]+$' "$work/err"
{ sleep 1.5 && cat plain.csv; } | "$tfx" scores --x - --lang zh --no-time >"$work/out" 2>"$work/err"
check "so for standard input" grep -q '^tfx: 正在等标准输入' "$work/err"
run qkv --text 'a b' --seed 1 --quiet --save one.npz
run qkv --text 'a b' --seed 2 --quiet --save two.npz
cat one.npz two.npz >joined.npz
run diff joined.npz two.npz
check "of joined archives the last is read, as NumPy does" test $status -eq 0
run scores --words pandas.csv --show X --no-time
check "which are words too" grep -q '^ *cow ' "$work/out"
run scores --v plain.csv --show K --no-time
check "values alone: as many keys" grep -q 'K  3×4' "$work/out"
check "values alone: why so many" grep -q 'tfx: K is drawn at random with 3 rows, as many as V has in plain.csv' "$work/err"
run scores --k plain.csv --v plain.csv --no-time
check "keys and values: nothing to say" test ! -s "$work/err"
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n\x01\x03\x02\x04' \
  "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 2), }" >fortran.npy
printf '1,2\n3,4\n' >plain.csv
expect 'X scores' scores --x plain.csv
same "an npy file in Fortran order" 'X scores' scores --x fortran.npy
same "an npy file from a pipe" 'X scores' scores --x <(cat fortran.npy)
printf '\x3a\x00\x00\x00\x00\x00\x00\x00{"W_Q":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}\0\0\x80\x3f' >one.safetensors
printf '5\n' >one.csv
expect W_Q scores --x one.csv --weights one.safetensors
check "a safetensors file" test "$(<"$work/expected")" = 'W_Q [1,1] [[1.0]]'

finish
