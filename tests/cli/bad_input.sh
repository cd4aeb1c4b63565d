#!/usr/bin/env bash
# Bad command lines and files: each is refused with its own status and message, and nothing goes to stdout.
#   tests/cli/bad_input.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# bad STATUS FRAGMENT ARGUMENT…: tfx ARGUMENT… ends with STATUS, and stderr holds FRAGMENT; in Chinese it has the
# status, and no English sentence: all messages are looked through at the end.
bad() {
  local expected=$1 fragment=$2 name text message
  shift 2
  put_name "$@"
  run "$@"
  slurp "$work/err"
  message=$text
  if ((status != expected)); then
    not_ok "$name" "status $status, not $expected: $(first_lines "$work/err")"
  elif [[ -s $work/out ]]; then
    not_ok "$name" "it wrote to stdout: $(first_lines "$work/out")"
  elif [[ $message != "tfx: "* ]]; then
    not_ok "$name" "no message of its own: $(first_lines "$work/err")"
  elif [[ $message =~ required|was\ not\ expected|At\ (Most|Least)|Could\ not ]]; then
    not_ok "$name" "these are the parser's own words: $(first_lines "$work/err")"
  elif [[ $message != *"$fragment"* ]]; then
    not_ok "$name" "the message lacks \"$fragment\": $(first_lines "$work/err")"
  elif [[ " $* " == *" --lang"* ]]; then
    ok "$name"
  elif run --lang zh "$@" && ((status != expected)); then
    not_ok "$name" "in Chinese, status $status: $(first_lines "$work/err")"
  else
    slurp "$work/err"
    in_chinese+=("${text//$'\n'/ }") named+=("$name")
  fi
}
in_chinese=() named=()

usage=2 bad_data=65 no_input=66 no_memory=71 cannot_write=73 io_error=74

# --- files ---------------------------------------------------------------------------------------------------------

# npy FILE DESCR SHAPE BYTES: as np.save lays it out; BYTES is for printf.
npy() {
  printf '\x93NUMPY\x01\x00\x76\x00%-117s\n%b' "{'descr': '$2', 'fortran_order': False, 'shape': $3, }" "$4" >"$1"
}

# safetensors FILE JSON BYTES
safetensors() {
  local length
  printf -v length '\\x%02x\\x%02x' $((${#2} % 256)) $((${#2} / 256))
  printf '%b\0\0\0\0\0\0%s%b' "$length" "$2" "${3-}" >"$1"
}

mkdir folder folder.npz
printf -v long '%0300d' 0 # longer than a file's name can be
for extension in csv npy npz safetensors; do : >empty.$extension; done
printf '1,2\n3,4\n' >2x2.csv
printf '1,2,3\n4,5,6\n' >2x3.csv
printf '1,2\n3,4\n5,6\n' >3x2.csv
printf '1,1,1\n1,1,1\n1,1,1\n' >3x3.csv
printf '1,2\n3\n' >ragged.csv
printf '1,2\n3,x\n' >word.csv
printf '1,2\n,4\n' >hole.csv
printf '1,2\n\n3,4\n' >blank.csv
printf '1,"2\n3,4\n' >quote.csv
printf '1,2\n3,0x10\n' >hexadecimal.csv
printf '1,2\n3,\0\n' >nul.csv
printf '1,2\n\xc4\xe3,4\n' >gbk.csv
printf 'a,b\n' >header.csv
printf 'NaN,NaN\n1,2\n' >spelled.csv
printf '1e400,x\n1,2\n' >beyond.csv
printf 'Infinity,x\n1,2\n' >infinity.csv
printf '−1,−2\n1,2\n' >minus.csv
printf '50%%,x\n1,2\n' >percent.csv
printf '1,5;2,5\n' >decimal_comma.csv
printf 'cat\n' >label.csv
printf '1,0\n1,2\n' >two.csv
printf '1,0.5\n0,1\n' >half.csv
printf '0,-inf\n0,0\n' >additive.csv
printf '0,0\n0,0\n' >blocked.csv
printf '1,nan\n3,4\n' >nan.csv
printf '1e300,1e300\n1e300,1e300\n' >large.csv

eight='\0\0\0\0\0\0\0\0'
npy good.npy '<f8' '(1, 2)' "$eight$eight"
npy one_axis.npy '<f8' '(2,)' "$eight$eight"
npy four_axes.npy '<f8' '(1, 1, 1, 2)' "$eight$eight"
npy no_rows.npy '<f8' '(0, 3)' ''
npy cut.npy '<f8' '(2, 2)' "$eight$eight$eight"
npy longer.npy '<f8' '(1, 1)' "$eight$eight"
npy object.npy '|O' '(1, 1)' "$eight"
npy complex.npy '<c16' '(1, 1)' "$eight$eight"
npy negative.npy '<f8' '(-1, 2)' "$eight"
npy huge.npy '<f8' '(4611686018427387904, 4)' "$eight"
npy nine_axes.npy '<f8' '(1, 1, 1, 1, 1, 1, 1, 1, 1)' "$eight"
npy not_a_bool.npy '|b1' '(1, 2)' '\x01\x02'
npy beyond.npy '<i8' '(1, 1)' '\xff\xff\xff\xff\xff\xff\xff\x7f'
printf '\x93NUMPY\x09\x00\x76\x00{}' >version.npy
printf '\x93NUMPY\x01\x00\x76\x00{"descr": "<f8"' >header.npy
printf '\x93NUMPY\x01\x00\x76\x00%-117s\n' "{'descr': '<f8', 'fortran_order': False, }" >no_shape.npy
printf 'no array at all, whatever its name says' >text.npy

run qkv --quiet --save run.npz
head -c 400 run.npz >cut.npz
LC_ALL=C sed 's/\.npy/.txt/g' run.npz >no_array.npz
LC_ALL=C sed 's/W_V/W_K/g' run.npz >twice.npz
LC_ALL=C sed "s/'<f8'/'<f4'/" run.npz >damaged.npz
LC_ALL=C sed 's/W_Q/W_1/g; s/W_K/W_2/g; s/W_V/W_3/g' run.npz >nameless.npz
printf 'PK\x03\x04 and no more' >stub.npz

four='\0\0\x80\x3f'
safetensors flat.safetensors '{"W_Q":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}' "$four"
safetensors no_json.safetensors '{"W_Q":' ''
safetensors dtype.safetensors '{"W_Q":{"dtype":"F7","shape":[1,1],"data_offsets":[0,4]}}' "$four"
safetensors gap.safetensors '{"W_Q":{"dtype":"F32","shape":[1,1],"data_offsets":[4,8]}}' "$eight"
safetensors outside.safetensors '{"W_Q":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}' ''
safetensors shape.safetensors '{"W_Q":{"dtype":"F32","shape":[2,1],"data_offsets":[0,4]}}' "$four"
safetensors left_over.safetensors '{"W_Q":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}' "$eight"
safetensors minus.safetensors '{"W_Q":{"dtype":"F32","shape":[-1,1],"data_offsets":[0,4]}}' "$four"
tensor='{"dtype":"F32","shape":[1,1],"data_offsets":['
safetensors twice.safetensors "{\"W_Q\":${tensor}0,4]},\"W_Q\":${tensor}4,8]}}" "$eight"
printf '\xff\xff\xff\xff\xff\xff\xff\x7f{}' >long_header.safetensors
printf 'abc' >short.safetensors

# --- names ---------------------------------------------------------------------------------------------------------

bad $usage 'no command "scroes"; did you mean scores?' scroes
bad $usage 'no command "sofmax"; did you mean softmax?' sofmax --help
bad $usage 'no command "Scores"; did you mean scores?' Scores
bad $usage 'no command "xyzzy"' xyzzy
bad $usage 'tfx list shows the lessons' xyzzy
bad $usage 'no command ""' ''
bad $usage 'no option --txet; did you mean --text?' scores --txet a
bad $usage 'no option --causal-mask' softmax --causal-mask
# What PyTorch and other tutorials call an option: ours is named where the command has it.
bad $usage 'no option --num-heads; here it is --heads' block --num-heads 2
bad $usage 'no option --num_heads; here it is --heads' block --num_heads=2
bad $usage 'no option --n-heads; here it is --heads' block --n-heads 2
bad $usage 'no option --batch-size; here it is --batch' train --batch-size 2
bad $usage 'no option --learning-rate; here it is --lr' train --learning-rate 0.1
bad $usage 'no option --lr; here it is --rate' induction --lr 0.1
bad $usage 'no option --is-causal; here it is --causal' sdpa --is-causal
bad $usage 'no option --dmodel; here it is --d-model' block --dmodel 8
bad $usage 'no option --hidden-size; here it is --d-model' block --hidden-size 8
bad $usage 'no option --hidden-dim; here it is --d-model or --d-ff' block --hidden-dim 8
bad $usage 'no option --num-layers; here it is --layers' params --num-layers 2
bad $usage 'no option --dropout-p; here it is --dropout' block --dropout-p 0.1
bad $usage '这里写 --heads' block --nhead 2 --lang zh
bad $usage $'no option --num-layers\n' decode --num-layers 2 # which has none
bad $usage 'no option --widht; did you mean --width?' --widht 40
bad $usage '--text has no use for list' list --text a
bad $usage 'no option --txet' list --txet a
bad $usage 'no option -x' scores -x 2x2.csv
bad $usage 'tfx scores has no place for the argument "foo"' scores foo
bad $usage 'no place for the argument "scores"' scores scores
bad $usage 'no place for the argument "list"' scores list
bad $usage 'tfx list has no place' list foo
bad $usage 'no place for the argument "softmax"' code scores softmax
bad $usage 'no place for the argument "foo"' scores -- foo
bad $usage 'tfx has no place for the argument "scores"' -- scores
bad $usage 'tfx explain needs a LESSON (a lesson: scores' explain
bad $usage 'tfx explain needs a TENSOR' explain scores
bad $usage 'tfx code needs a LESSON' code
bad $usage 'tfx code --help says how it is used' code
bad $usage '--causal takes no value, so "=3" has no place' softmax --causal=3
bad $usage 'write --ascii alone' list --ascii=no
bad $usage '--x needs a value after it: --x FILE' scores --x --q 2x2.csv
bad $usage '--text needs a value after it: --text TEXT' scores --text=
bad $usage '--width needs a value after it: --width N' --width
bad $usage 'tfx scores --help says what it takes' scores --tutorial
bad $usage 'no lesson "foo"' code foo
bad $usage 'did you mean softmax?' code sotfmax
bad $usage 'did you mean scores?' explain scroes scores 0 0
bad $usage 'no tensor "scorse"; did you mean scores?' explain scores scorse 0 0
bad $usage 'it has: X, W_Q, Q' explain scores nothing 0 0
bad $usage 'no tensor "weights"' scores --show weights
bad $usage 'did you mean W_Q?' scores --show X,W_q
bad $usage '--show takes names' scores --show ''
bad $usage '--show takes names' scores --show ,
bad $usage 'did you mean fun-transformer?' scores --tutorial fun-transfomer
bad $usage 'no tutorial ""' scores --tutorial ''
bad $usage 'no tutorial "attention-block:9"' scores --tutorial attention-block:9
bad $usage 'scaled-dot-product do not fit lesson words' words --tutorial scaled-dot-product
bad $usage 'words takes: fun-transformer:1' words --tutorial scaled-dot-product
bad $usage 'do not fit lesson multihead' multihead --tutorial scaled-dot-product
bad $usage 'do not fit lesson softmax' softmax --tutorial happy-llm:1
for option in lang color init on-masked-row picture; do
  bad $usage "--$option takes" masked --$option blue
  bad $usage "--$option takes" masked --$option ''
  bad $usage "--$option" masked --$option
done
for option in tutorial text words x q k v mask weights show save d-model seed; do
  bad $usage "--$option" masked --$option
done

# --- in Chinese ----------------------------------------------------------------------------------------------------

bad $usage '没有命令“scroes”；是不是想写 scores？' --lang zh scroes
bad $usage 'tfx list 列出各课' --lang zh xyzzy
bad $usage '没有命令“xyzzy”' xyzzy --lang=zh
bad $usage '没有选项 --txet；是不是想写 --text？' --lang zh scores --txet a
bad $usage '--text 后面要跟一个值：--text TEXT' --lang zh scores --text
bad $usage '--text 给了两次' --lang zh scores --text a --text b
bad $usage '--causal 不带值，“=3”无处可用' --lang zh softmax --causal=3
bad $usage 'tfx scores 用不上参数“foo”' --lang zh scores foo
bad $usage 'tfx explain 缺少 LESSON（课名' --lang zh explain
bad $usage '--d-model 要一个 1 到 1000000000 的整数，不能是“x”' --lang zh scores --d-model x
bad $usage '下标要 0 到 2 的整数，不能是“x”' --lang zh explain qkv Q 0 x
bad $usage '--init 只能取 randint|normal|xavier|xavier-uniform|he，不能是“x”' --lang zh scores --init x
bad $usage '--show 后面写张量的名字' --lang zh scores --show ,
bad $usage 'scores 这一课没有张量“scorse”；是不是想写 scores？' --lang zh scores --show scorse
bad $usage '一个 .csv 文件只放一个张量' --lang zh scores --save run.csv --show Q,K
bad $usage 'output 的形状是 (2, 3, 6)' --lang zh sdpa --save run.csv
bad $usage '文件名要以 .npz、.json、.html 或 .csv 结尾' --lang zh scores --save run.txt

# --- numbers -------------------------------------------------------------------------------------------------------

for number in -5 010 nan 1e99 3x '' +3 ' 3' 3.0 0x3 ３ 99999999999999999999; do
  for option in d-model heads batch n-q n-k d-k d-v seed pad precision width threads; do
    bad $usage "--$option takes a whole number from" multihead --$option "$number"
  done
  bad $usage '--depth takes a whole number from' explain scores scores 0 0 --depth "$number"
  bad $usage 'an index takes a whole number from' explain qkv Q 0 "$number"
done
for option in d-model heads batch n-q n-k d-k d-v threads; do
  bad $usage "--$option takes a whole number from 1 to" multihead --$option 0
done
bad $usage 'from 0 to 17' scores --precision 18
bad $usage 'from 20 to 1000' scores --width 19
bad $usage 'from 20 to 1000' scores --width 1001
bad $usage 'from 0 to 4294967295' scores --seed 4294967296
bad $usage 'from 0 to 20' explain scores scores 0 0 --depth 21
bad $usage 'takes 2 indices, not 0' explain scores scores
bad $usage 'takes 2 indices, not 1' explain scores scores 0
bad $usage 'takes 2 indices, not 3' explain scores scores 0 0 0
bad $usage 'shape (4, 4): index 4 is outside axis 0' explain scores scores 4 0
bad $usage 'the last one there is 3' explain scores scores 0 4
bad $usage 'index 2 is outside axis 0' explain sdpa output 2 0 0
bad $usage '--heads 3 does not divide the 4 columns of W_Q' multihead --heads 3
bad $usage '--heads 8 does not divide' multihead --d-model 4 --heads 8
bad $usage '--pad 9 is more than the 5 keys' masked --pad 9

# --- contradictions ------------------------------------------------------------------------------------------------

bad $usage 'all give the tokens' scores --words two.csv --x 2x2.csv
cp 2x2.csv kept.csv
bad $usage '--save would write over kept.csv, which --x names' attention --x kept.csv --save kept.csv
ln -s kept.csv link.csv
bad $usage '--save would write over link.csv' attention --x link.csv --save kept.csv
bad $usage '--save would write over kept.csv, which --corpus names' generate --model microgpt --corpus kept.csv --save ./kept.csv
check "the input stands as it was" cmp -s 2x2.csv kept.csv
bad $bad_data '2x2.csv has 2 rows, and the tokens of --text are 1: a' scores --text a --x 2x2.csv
printf 'a,1,2\n%01001d,3,4\n' 0 >long.csv # a page says a label thousands of times: of 1 MB, report made 284 MB
bad $bad_data 'long.csv has a word of 1,001 bytes, and 1,000 is the most' report long.html --words long.csv
bad $usage 'the text has a word of 1,001 bytes' scores --text "a $(printf '%01001d' 0)"
bad $usage 'all give the tokens' scores --text a --words 2x2.csv
bad $usage 'all give the tokens' scores --words 2x2.csv --x 2x2.csv
bad $usage 'contradict each other' scores --text a --q 2x2.csv
bad $usage 'contradict each other' scores --x 2x2.csv --v 2x2.csv
bad $usage '--tutorial fixes the data' scores --tutorial annotated --text a
bad $usage '--tutorial fixes the data' scores --tutorial annotated --d-model 4
bad $usage '--tutorial fixes the data' scores --tutorial annotated --init he
bad $usage '--d-model does not apply: --x' scores --x 2x2.csv --d-model 4
bad $usage '--d-model does not apply: --words' scores --words 2x2.csv --d-model 4
bad $usage '--d-model does not apply' scores --q 2x2.csv --d-model 4
bad $usage '--n-q does not apply: the tokens' scores --text a --n-q 4
bad $usage '--n-q does not fit fun-transformer:2: its data have sizes of their own' sdpa --tutorial fun-transformer:2 --n-q 2
bad $usage '--batch does not apply: the tokens' scores --text a --batch 4
bad $usage '--n-q does not apply: --q' scores --q 2x2.csv --n-q 4
bad $usage '--n-k does not apply: --k' scores --k 2x2.csv --n-k 4
bad $usage '--d-k does not apply: --q' scores --q 2x2.csv --k 2x2.csv --d-k 4
bad $usage '--d-k does not apply: --q' scores --q 2x2.csv --d-k 4
bad $usage '--d-k does not apply: --k' qkv --k 2x2.csv --d-k 4
bad $usage '--n-k does not apply: every key needs a value' scores --v 2x2.csv --n-k 4
bad $usage '--d-v does not apply: --v' attention --v 2x2.csv --d-v 4
bad $usage '--q has no use for words' words --q 2x2.csv
bad $usage '--v has no use for words' words --v 2x2.csv
bad $usage 'n_q = n_k' scores --d-model 4 --n-q 2 --n-k 3
bad $usage 'd_k and d_v are d_model / heads' multihead --d-model 8 --heads 2 --d-k 3
bad $usage '--text is given twice' scores --text a --text b
bad $usage '--lang is given twice' scores --lang zh --lang en
bad $usage 'holds no token' scores --text ''
bad $usage 'holds no token' scores --text $' \t '
bad $usage '--labels takes a whole number from 0 to 4294967295, not' loss --labels 2,x
bad $usage '--labels takes a whole number from 0 to 4294967295, not' loss --labels ''
bad $usage '--labels has 2 numbers in row 0, the input has 5 tokens' loss --labels 1,2
bad $usage '--labels has 2 rows, the input has 1' loss --labels '1,2,3,4,5;1,2,3,4,5'
bad $usage 'label 6 (token 2) is outside the vocabulary, which has numbers 0 to 5' loss --labels 1,2,6,4,5
bad $usage 'every label is the padding' loss --labels 0,0,0,0,0
bad $usage 'every label is the padding' loss --text one
bad $usage '--pad-id 9 is outside the vocabulary' loss --pad-id 9
bad $usage '--smoothing needs a word besides the label and the padding' loss --logits 3x2.csv --labels 1,1,1 --pad-id 0 --smoothing 0.1
for smoothing in 1 -0.1 nan 1e-1 x ''; do
  bad $usage '--smoothing' loss --smoothing "$smoothing"
done
bad $usage '--logits needs --labels' loss --logits 3x2.csv
bad $usage '--logits gives what the loss is taken of' loss --logits 3x2.csv --labels 1,1,1 --text 'a b'
bad $usage '--labels has 2 numbers in row 0, the input has 3 tokens' loss --logits 3x2.csv --labels 1,1
bad $no_input 'absent.npy' loss --logits absent.npy --labels 1
bad $bad_data '' loss --logits word.csv --labels 1,1
bad $usage '--q has no use for loss' loss --q 2x2.csv
bad $usage '--labels has no use for scores' explain scores scores 0 0 --labels 1
bad $bad_data 'mean is nan: it has no gradient' attention --pad 4 --on-masked-row nan --grad
bad $usage 'unexpected byte \xff at byte 2' scores --text $'a \xff'
bad $usage 'not UTF-8' scores --text $'\xe6\x88'
bad $usage 'not UTF-8' scores --text $'\xc0\xaf'

# --- saving --------------------------------------------------------------------------------------------------------

ln -s /dev/full full.npz
ln -s /dev/full full.csv
bad $usage 'end the name in .npz' scores --save run.txt
bad $usage 'end the name in .npz' scores --save run
bad $cannot_write 'the path of the file to write is empty' scores --save ''
bad $cannot_write 'File name too long' scores --save "$long.npz"
bad $cannot_write 'File name too long' scores --save "folder/$long.csv"
bad $usage 'holds one tensor' scores --save run.csv --show Q,K
bad $usage 'output has shape (2, 3, 6)' sdpa --save run.csv
bad $cannot_write 'cannot write missing/run.npz' scores --save missing/run.npz
bad $cannot_write 'cannot write 2x2.csv/run.npz' scores --save 2x2.csv/run.npz
bad $cannot_write 'Is a directory' scores --save folder.npz
bad $io_error 'No space left' scores --save full.npz
bad $io_error 'No space left' scores --save full.csv

# --- files that are missing, folders, empty ------------------------------------------------------------------------

for option in words x q k v mask weights; do
  bad $no_input 'cannot open missing.npy: No such file' masked --$option missing.npy
  bad $no_input 'cannot open 2x2.csv/x.npy' masked --$option 2x2.csv/x.npy
  bad $no_input 'Is a directory' masked --$option folder
  bad $no_input 'the path of a file is empty' masked --$option ''
  bad $no_input 'File name too long' masked --$option "$long.npz"
  for extension in csv npy npz safetensors; do
    bad $bad_data "empty.$extension" masked --$option empty.$extension
  done
done
"$tfx" check scores - <folder >"$work/out" 2>"$work/err"
check "a folder as standard input" test $? -eq $no_input -a "$(grep -c 'Is a directory' "$work/err")" -eq 1
: >locked.csv
chmod 0 locked.csv
if [[ ! -r locked.csv ]]; then # root reads everything
  for option in words x q k v mask weights; do
    bad $no_input 'Permission denied' masked --$option locked.csv
  done
fi

# --- shapes, masks, values -----------------------------------------------------------------------------------------

bad $bad_data 'Q has shape (2, 2), K has shape (2, 3)' scores --q 2x2.csv --k 2x3.csv
bad $bad_data 'K has shape (2, 2), V has shape (3, 2)' attention --k 2x2.csv --v 3x2.csv
bad $bad_data 'W_Q has shape (3, 3), the input needs (2, 3)' scores --x 2x2.csv --weights run.npz
bad $bad_data "has shape (3, 3), the tutorial's has (4, 4)" masked --weights run.npz
bad $bad_data 'W_Q has shape (1,); it takes 2 axes' scores --weights flat.safetensors
bad $bad_data 'not shape (2,)' scores --x one_axis.npy
bad $bad_data 'save x.reshape(1, -1)' scores --x one_axis.npy
bad $bad_data 'not shape (1, 1, 1, 2)' scores --q four_axes.npy
bad $bad_data 'the array is empty: shape (0, 3)' scores --x no_rows.npy
bad $bad_data '(3, 3)' masked --text 'a b' --mask 3x3.csv
bad $bad_data '(2, 2)' masked --text 'a b' --mask 3x3.csv
bad $bad_data 'a mask is (n_q, n_k), not shape (2,)' masked --text 'a b' --mask one_axis.npy
bad $bad_data 'mask(1, 1) is 2' masked --text 'a b' --mask two.csv
bad $bad_data 'mask(0, 1) is 0.5' masked --text 'a b' --mask half.csv
bad $bad_data 'save (mask == 0)' masked --text 'a b' --mask additive.csv
bad $bad_data 'let nothing be seen' masked --text 'a b' --mask blocked.csv --on-masked-row error
bad $bad_data 'let nothing be seen' masked --pad 5 --on-masked-row error
bad $bad_data 'is NaN' attention --q nan.csv --k 2x2.csv --v 2x2.csv
for lesson in words qkv scores; do
  bad $bad_data 'X[x1, 1] (indices (0, 1)) is NaN' $lesson --x nan.csv
done
bad $bad_data 'is +inf: no number follows' words --x large.csv
bad $bad_data 'is +inf: no number follows' scores --q large.csv --k large.csv
printf '1,2\nnan,4\n5,6\n' >unknown.csv
bad $bad_data 'output[q2, 0] (indices (1, 0)) is NaN: no number follows' masked --q 3x2.csv --k 3x2.csv --v unknown.csv --causal
printf '1e200,-1e200\n3e200,1\n' >far.csv
bad $bad_data 'is +inf: no number follows' block --x far.csv
bad $bad_data '+inf' attention --q large.csv --k large.csv --v 2x2.csv
bad $no_memory 'needs about 96 TB of memory; ' softmax --n-q 1000000
bad $no_memory 'needs about 64' scores --d-model 1000000
bad $no_memory 'use smaller sizes' softmax --n-q 1000000000
bad $no_memory 'use smaller sizes' multihead --text a --d-model 10000000
# Products beyond 64 bits have their estimate too.
bad $no_memory 'a run of this size needs about 64 EB of memory; ' qkv --d-model 1000000000
bad $no_memory 'a run of this size needs about 64 EB of memory; ' scores --d-model 1000000000
bad $no_memory 'a run of this size needs about 3.2e+04 YB of memory; ' sdpa --batch 1000000000 --n-q 1000000000

# --- csv -----------------------------------------------------------------------------------------------------------

bad $bad_data 'ragged.csv: line 2, column 2: this row has 1 cell, the first row has 2' scores --x ragged.csv
bad $bad_data 'word.csv: line 2, column 2: "x" is not a number' scores --x word.csv
bad $bad_data 'line 1, column 1: "NaN" is not a number' scores --x spelled.csv
bad $bad_data 'line 1, column 1: "1e400" is not a number' scores --x beyond.csv
bad $bad_data 'line 1, column 1: "Infinity" is not a number' scores --x infinity.csv
bad $bad_data 'line 1, column 1: "−1" is not a number: its minus is U+2212' scores --x minus.csv
bad $bad_data 'line 1, column 1: "50%" is not a number' scores --x percent.csv
bad $bad_data 'line 1, column 2: "5;2" is not a number: the line has decimal commas' scores --x decimal_comma.csv
bad $no_input '/dev/zero is a device, not a file' scores --x /dev/zero
bad $bad_data 'good.npy: this is a .npy file: one array, and a model is many with names' decode --model ./good.npy
bad $bad_data 'line 2, column 1: the cell is empty' scores --x hole.csv
bad $bad_data 'line 2, column 1: a blank line' scores --x blank.csv
bad $bad_data 'is never closed' scores --x quote.csv
bad $bad_data '"0x10" is not a number' scores --x hexadecimal.csv
bad $bad_data 'byte 6 of the file is NUL' scores --x nul.csv
bad $bad_data 'not UTF-8' scores --x gbk.csv
bad $bad_data 'iconv -f GBK' scores --words gbk.csv
bad $bad_data 'no row of numbers follows the header' scores --x header.csv
bad $bad_data 'no number follows the label' scores --words label.csv
bad $bad_data 'ragged.csv: line 2, column 2' scores --words ragged.csv
bad $bad_data 'names are needed' scores --weights 2x2.csv
bad $bad_data 'the label is empty' scores --words hole.csv

# --- files of another kind than their name says --------------------------------------------------------------------

cp good.npy npy.csv
cp run.npz npz.csv
cp run.npz npz.npy
cp good.npy npy.npz
cp flat.safetensors safetensors.txt
for option in x q k v mask; do
  bad $bad_data 'npy.csv: this is a .npy file, whatever its name says' masked --$option npy.csv
  bad $bad_data 'rename it so that it ends in .npy' masked --$option npy.npz
  bad $bad_data 'npz.csv: this is a zip archive, as .npz and .xlsx files are' masked --$option npz.csv
  bad $bad_data 'export a spreadsheet as "CSV UTF-8"' masked --$option npz.npy
  bad $bad_data 'safetensors.txt: this is a .safetensors file' masked --$option safetensors.txt
  bad $bad_data 'this is no npy file' masked --$option text.npy
done
bad $bad_data 'npy.csv: this is a .npy file, and words need a text table' words --words npy.csv
bad $bad_data 'npz.csv: this is a zip archive' words --words npz.csv

# --- npy -----------------------------------------------------------------------------------------------------------

bad $bad_data 'takes 32 bytes, the file has 24' scores --x cut.npy
bad $bad_data 'takes 8 bytes, the file has 16' scores --x longer.npy
bad $bad_data "type '|O'" scores --x object.npy
bad $bad_data "type '<c16'" scores --x complex.npy
bad $bad_data 'the shape must be whole numbers' scores --x negative.npy
bad $bad_data 'more bytes than any file has' scores --x huge.npy
bad $bad_data 'more than 8 axes' scores --x nine_axes.npy
bad $bad_data 'a bool is 0 or 1' scores --x not_a_bool.npy
bad $bad_data 'beyond 2^53' scores --x beyond.npy
bad $bad_data version scores --x version.npy
bad $bad_data header.npy scores --x header.npy
bad $bad_data text.npy scores --x text.npy
bad $bad_data "lacks 'shape'" scores --x no_shape.npy
bad $bad_data 'names are needed' scores --weights good.npy

# --- npz -----------------------------------------------------------------------------------------------------------

bad $bad_data 'the file holds 7 arrays: X (4, 3), W_Q (3, 3)' scores --x run.npz
bad $bad_data cut.npz scores --weights cut.npz
bad $bad_data stub.npz scores --weights stub.npz
bad $bad_data 'It holds X.txt' scores --weights no_array.npz
bad $bad_data 'two arrays named "W_K"' scores --weights twice.npz
bad $bad_data damaged.npz scores --weights damaged.npz
bad $bad_data 'no tensor is called W_Q' scores --weights nameless.npz

# --- safetensors ---------------------------------------------------------------------------------------------------

bad $bad_data 'not valid JSON' scores --weights no_json.safetensors
bad $bad_data 'dtype "F7"' scores --weights dtype.safetensors
bad $bad_data gap.safetensors scores --weights gap.safetensors
bad $bad_data 'the data, which has 0' scores --weights outside.safetensors
bad $bad_data 'does not fill its 4 bytes' scores --weights shape.safetensors
bad $bad_data 'the tensors end at byte 4 of the data, which has 8' scores --weights left_over.safetensors
bad $bad_data twice.safetensors scores --weights twice.safetensors
bad $bad_data 'a negative number' scores --weights minus.safetensors
bad $bad_data 'the header takes' scores --weights long_header.safetensors
bad $bad_data 'too few for a header' scores --weights short.safetensors

# --- in Chinese ------------------------------------------------------------------------------------------------------

printf '%s\n' "${in_chinese[@]}" >messages
left=()
while IFS=: read -r line words; do left[line - 1]=$words; done < <(english_in messages)
for i in "${!named[@]}"; do
  if [[ ${left[i]-} ]]; then not_ok "${named[i]}" "in Chinese: ${left[i]}"; else ok "${named[i]}"; fi
done

finish
