#!/bin/bash
# bad_input.sh BINARY: bad command lines and files end with their own message on stderr, the right status, and nothing on
# stdout.
set -uo pipefail
binary=$(readlink -f -- "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export LC_ALL=C.UTF-8 COLUMNS=80

# refuse STATUS FRAGMENT ARGUMENT…
refuse() {
  local status=$1 fragment=$2 out
  shift 2
  out=$("$binary" "$@" 2>stderr </dev/null)
  local got=$?
  if ((got != status)); then
    echo "not ok $*: exits $got, not $status: $(head -1 stderr)"
  elif [[ -n $out ]]; then
    echo "not ok $*: writes to stdout"
  elif ! grep -qF -- "$fragment" stderr; then
    echo "not ok $*: does not say \"$fragment\": $(head -1 stderr)"
  else
    echo "ok refuses: $*"
  fi
}

printf '1,2\n3\n' >ragged.csv
printf '1,2\n3,x\n' >word.csv
: >empty.csv
printf 'the,1,2\n\xc4\xe3,3,4\n' >gbk.csv
printf '1,2\n3,4\n' >x22.csv
printf '1,2,3\n4,5,6\n' >x23.csv
printf '1,0.5\n0,1\n' >mask_half.csv
printf '1,0,1\n0,1,1\n1,1,1\n' >mask33.csv
printf '0,0\n0,0\n' >mask00.csv
printf '1,nan\n3,4\n' >nan.csv
printf '1e300,1e300\n1e300,1e300\n' >huge.csv
printf '\x93NUMPY\x01\x00' >cut.npy
printf '\x93NUMPY\x01\x00\x76\x00{"descr": "<f8"' >head.npy
printf 'PK\x03\x04 no zip' >bad.npz
printf '\xff\xff\xff\xff\xff\xff\xff\x7f{}' >bad.safetensors
printf 'hello' >short.safetensors
"$binary" qkv --save weights.npz --quiet >/dev/null
"$binary" qkv --save saved.json --quiet >/dev/null
mkdir folder

refuse 2 'did you mean scores' scroes
refuse 2 'did you mean softmax' sofmax --help
refuse 2 'did you mean --text' scores --txet a
refuse 2 'tfx list' nonsense
refuse 2 'no lesson "scors"; did you mean scores' explain scors scores 0 0
refuse 2 'no lesson' code nothing
refuse 2 'did you mean happy-llm' scores --tutorial happy-lm
refuse 2 'no tutorial' scores --tutorial x
refuse 2 'do not fit' words --tutorial scaled-dot-product
refuse 2 'do not fit' qkv --tutorial happy-llm:1
refuse 2 'did you mean scores' scores --show score
refuse 2 'it has:' scores --show nothing
refuse 2 'separated by commas' scores --show ,
refuse 2 'outside axis 1' explain scores scores 0 4
refuse 2 'takes 2 indices' explain scores scores 0
refuse 2 'an index takes' explain scores scores 0 -1
refuse 2 'takes auto|always|never' --color purple scores
refuse 2 'takes en|zh' scores --lang fr
refuse 2 'takes auto|tutorial|off' scores --picture big
refuse 2 'takes zero|nan|error' masked --on-masked-row skip
refuse 2 'takes randint|normal' scores --init ones
for option in --d-model --heads --batch --n-q --n-k --d-k --d-v --pad --seed --width --precision --threads; do
  for value in -5 010 nan 1e99 3x ''; do
    refuse 2 "$option takes a whole number" multihead "$option" "$value"
  done
done
refuse 2 'contradict' scores --text a --q x22.csv
refuse 2 'give one of them' scores --text a --x x22.csv
refuse 2 'cannot be combined' scores --tutorial fun-transformer --text 'a b'
refuse 2 'cannot be combined' scores --tutorial fun-transformer --d-model 8
refuse 2 'does not apply' words --q x22.csv
refuse 2 'does not apply' scores --x x22.csv --d-model 4
refuse 2 'does not divide' multihead --d-model 10 --heads 3
refuse 2 'is more than the 5 keys' masked --pad 6
refuse 2 'no token' scores --text ' '
refuse 2 'byte' scores --text $'a \xff'
refuse 66 'No such file' scores --x missing.npy
refuse 66 'directory' scores --x folder
refuse 66 'No such file' scores --weights missing.npz
refuse 66 'No such file' scores --words missing.csv
refuse 66 'No such file' masked --mask missing.npy
refuse 66 'No such file' sdpa --q missing.npy
refuse 65 'line 2' scores --x ragged.csv
refuse 65 'line 2, column' scores --x word.csv
refuse 65 'empty' scores --x empty.csv
refuse 65 'UTF-8' scores --words gbk.csv
refuse 65 'cut.npy' scores --x cut.npy
refuse 65 'head.npy' scores --x head.npy
refuse 65 'bad.npz' scores --weights bad.npz
refuse 65 'bad.safetensors' scores --weights bad.safetensors
refuse 65 'short.safetensors' scores --weights short.safetensors
refuse 65 'x22.csv' scores --weights x22.csv
refuse 65 'the file holds 7 arrays: X (4, 3)' scores --x weights.npz
refuse 65 '(3, 3), the input needs (2, 3)' scores --x x22.csv --weights weights.npz
refuse 65 'Q has shape (2, 2), K has shape (2, 3)' sdpa --q x22.csv --k x23.csv
refuse 65 'every key needs a value' sdpa --q x22.csv --k x22.csv --v mask33.csv
refuse 65 '1 (may be seen) and 0' masked --x x22.csv --mask mask_half.csv
refuse 65 '(3, 3)' masked --x x22.csv --mask mask33.csv
refuse 65 'let nothing be seen' masked --x x22.csv --mask mask00.csv --on-masked-row error
refuse 65 'is NaN' attention --q nan.csv --k x22.csv --v x22.csv
refuse 65 '+inf' attention --q huge.csv --k huge.csv --v x22.csv
refuse 71 'GB of memory' scores --d-model 1000000
refuse 71 'GB of memory' sdpa --n-q 1000000 --n-k 1000000
refuse 71 'too large' multihead --batch 1000000000 --d-model 1000000000
refuse 2 'end the name in .npz, .json or .csv' scores --save x.html
refuse 2 'one tensor' scores --save x.csv --show Q,K
refuse 2 'holds a matrix' multihead --save x.csv --show weights
# bad STATUS FRAGMENT ARGUMENT…: tfx ARGUMENT… ends with STATUS, and stderr holds FRAGMENT.
refuse 73 'nowhere' scores --save nowhere/x.npz
