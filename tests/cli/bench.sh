#!/usr/bin/env bash
# tfx bench: its JSON, its worker, its printouts, its refusals. Nothing here asserts a time.
#   tests/cli/bench.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
unset "${!OPENBLAS_@}"

small=(--seq 16 --d-model 32 --heads 4 --repeat 3)

command=(bench)

# has NAME PATTERN FILE: an extended regular expression that a line matches.
has() {
  if grep -Eq -- "$2" "$3"; then ok "$1"; else not_ok "$1" "no $2 in $(first_lines "$3")"; fi
}

# --- works and their JSON --------------------------------------------------------------------------------------------

number='-?[0-9][-+.0-9e]*'
for what in attention model train decode; do
  extra=()
  if [[ $what != attention ]]; then extra=(--layers 1 --batch 2); fi
  run bench "$what" "${small[@]}" "${extra[@]}" --json
  check "$what ends with 0" test "$status" = 0
  has "$what: milliseconds" \
    "\"milliseconds\":\{\"median\":$number,\"q1\":$number,\"q3\":$number,\"mean\":$number,\"runs\":3\}" "$work/out"
  has "$what: speeds" "\"gflops\":$number,\"share_of_peak\":$number,\"tokens_per_second\":$number" "$work/out"
  has "$what: the peak around it" "\"peak_gflops\":$number,\"tries\":[123],\"disturbed\":(true|false)\}" "$work/out"
  has "$what: machine" \
    "\"machine\": \{\"cpu\":\".*\",\"isa\":\"(avx512|avx2|baseline)\",\"blas\":\".*\",\"threads\":[0-9]+,\"fma_gflops\":$number" \
    "$work/out"
  has "$what: its check" "\"checks\": \[\{\"name\":\"$what\.[a-z_]+\",\"pass\":true" "$work/out"
  run bench "$what" "${small[@]}" "${extra[@]}" --json --no-time
  check "$what --no-time compares" test "$status" = 0
  has "$what --no-time times nothing" '"milliseconds":null,"gflops":null,"share_of_peak":null' "$work/out"
done
for what in model train decode; do
  run bench "$what" --family decoder "${small[@]}" --layers 1 --batch 2 --json
  check "$what of a decoder ends with 0" test "$status" = 0
  has "$what of a decoder says its family" "\"work\":\"$what\",\"family\":\"decoder\",\"batch\":2," "$work/out"
  has "$what of a decoder: its check" "\"checks\": \[\{\"name\":\"$what\.[a-z_]+\",\"pass\":true" "$work/out"
done
has "decode after a prompt" '"prompt":16,"tgt_seq":16' "$work/out"
run bench decode --family decoder "${small[@]}" --prompt 7 --max-tokens 3 --layers 1 --json --no-time
has "a prompt of its own" '"prompt":7,"tgt_seq":3' "$work/out"
shows "which limit a prompt has" 0 "go through each weight together" decode --family decoder "${small[@]}" --layers 1
shows "in Chinese" 0 "单独一个解码器" train --family decoder "${small[@]}" --layers 1 --no-time --lang zh
has "decode: share of the reads is null without a time" '"share_of_bandwidth":null' <("$tfx" bench decode \
  "${small[@]}" --layers 1 --json --no-time)

run bench attention --batch 2 --seq 3 --d-model 4 --heads 2 --json --no-time
has "the work is that of the formula" '"flops":960\.0' "$work/out" # by hand in tests/bench/work_test.cpp
run bench attention --batch 2 --seq 3 --d-model 4 --heads 2 --no-causal --json --no-time
has "the work without a mask" '"flops":1056\.0' "$work/out"
"$tfx" bench --preset A1 --causal --json --no-time >"$work/causal"
"$tfx" bench --preset A1 --json --no-time >"$work/out"
check "--causal says what is so anyway" cmp -s "$work/causal" "$work/out"
OPENBLAS_CORETYPE=Haswell "$tfx" bench "${small[@]}" --json --no-time >"$work/out"
has "an override is named" '"overrides":\{"OPENBLAS_CORETYPE":"Haswell"\}' "$work/out"
OPENBLAS_CORETYPE=Haswell "$tfx" bench "${small[@]}" --no-time >"$work/out"
has "an override is shown" 'OPENBLAS_CORETYPE=Haswell' "$work/out"
"$tfx" bench "${small[@]}" --json --no-time --threads 2 >"$work/two"
"$tfx" bench "${small[@]}" --json --no-time --threads 1 >"$work/one"
has "threads are stated" '"threads":1,' "$work/one"
check "one thread computes what two do" test "$(grep '"checks"' "$work/one")" = "$(grep '"checks"' "$work/two")"

# --- the ladder ------------------------------------------------------------------------------------------------------

run bench ladder "${small[@]}" --json
check "the ladder ends with 0" test "$status" = 0
for rung in loops page qkv heads tiles fused threads; do
  has "rung $rung is equal" "\{\"name\":\"$rung\",\"pass\":true,\"value\":" "$work/out"
  has "rung $rung is timed" "\{\"name\":\"$rung\",\"threads\":[12],\"memory_bytes\":[0-9]+,\"milliseconds\":\{\"median\"" \
    "$work/out"
done
has "the cost grows" '"growth": \[\{"seq":8,"whole":' "$work/out"
run bench ladder "${small[@]}" --no-causal --no-time
check "the ladder without a mask" test "$status" = 0
check "nothing hidden is claimed without a mask" test "$(grep -c 'Keys that none' "$work/out")" = 0

# --- a lesson's clock ------------------------------------------------------------------------------------------------

run bench lesson --seq 5 --d-model 16 --repeat 2 --json
check "bench lesson ends with 0" test "$status" = 0
has "bench lesson says how far equal products lie apart" "\"between_equals\": $number" "$work/out"
run bench lesson --seq 700 --d-model 1200 --repeat 1 --json
check "steps that a page would not time are timed" test "$status" = 0
for step in Q scores weights output; do
  has "step $step is timed twice" \
    "\{\"name\":\"$step\",\"expression\":\"[^\"]+\",\"lesson_milliseconds\":$number,\"alone_milliseconds\":$number,\"ratio\":$number\}" \
    "$work/out"
done
shows "and shown" 0 "Lesson attention on 5 tokens of width 16" lesson --seq 5 --d-model 16 --repeat 2
shows "heads are not the lesson's" 2 "--heads has no use for lesson" lesson --heads 2
shows "too long for the lesson" 71 "of memory" lesson --seq 1000000000

# --- the tutorial's printout -----------------------------------------------------------------------------------------

run bench --tutorial attention-block --repeat 2 --warmup 0 --lang zh
check "the tutorial's benchmark" test "$status" = 0
for field in '性能测试配置1: 小批量' '性能测试配置2: 长序列' '=== 性能基准测试 ===' 'Batch size: 8' 'Seq length: 64' \
  'Vocab size: 10000' 'Hidden size: 256' 'Num heads: 4' 'Batch size: 4' 'Seq length: 256' '=== 参数量统计 ===' \
  'Token 嵌入: 2,560,000 (2.56M)' '位置嵌入: 131,072 (0.13M)' 'QKV 投影: 196,608 (0.20M)' '输出投影: 65,536 (0.07M)' \
  '总计: 2,953,216 (2.95M)'; do
  check "it prints \"$field\"" grep -qxF -- "$field" "$work/out"
done
check "it prints two means" test "$(grep -cEx '平均耗时: [0-9]+\.[0-9]{2}ms' "$work/out")" = 2
shows "in English too" 0 "Mean time: " --tutorial attention-block --repeat 2 --warmup 0

# --- the worker ------------------------------------------------------------------------------------------------------

# answers LINE…: what the worker says to these lines.
answers() { printf '%s\n' "$@" | timeout "$TEST_SECONDS" "$tfx" bench --worker "${worker_options[@]}" 2>"$work/err"; }
worker_options=()
answers "own A1 3" "" "own A9 1" "best A1 1" "own A1" "own A1 0" "own A1 1 1" "own A1 1" >"$work/out"
check "the worker ends with 0" test "${PIPESTATUS[0]}" = 0
mapfile -t lines <"$work/out"
check "a line for each order" test "${#lines[@]}" = 8
check "it says when it is ready" test "${lines[0]}" = READY
line="^\{\"ms\": \[$number,$number,$number\],\"check\": \[$number,$number,$number,$number\],\"rss_mb\": $number\}$"
has "times, four numbers, memory" "$line" <(echo "${lines[1]}")
for i in 2 3 4 5 6; do has "error $i is an answer" '^\{"error": ".+"\}$' <(echo "${lines[$i]}"); done
numbers_of() { sed 's/.*"check": //; s/,"rss_mb".*//' <<<"$1"; }
check "the same numbers again" test "$(numbers_of "${lines[1]}")" = "$(numbers_of "${lines[7]}")"
worker_options=(--seed 7)
check "another seed, other numbers" test "$(numbers_of "$(answers "own A1 1" | tail -1)")" != "$(numbers_of "${lines[1]}")"

mkdir -p inputs outputs
worker_options=(--inputs inputs --outputs outputs)
has "an input that is not there" '^\{"error": ".*A1\.npz' <(answers "own A1 1" | tail -1)
echo nonsense >inputs/A1.npz
has "an input that is none" '^\{"error": ".*A1\.npz' <(answers "own A1 1" | tail -1)
worker_options=(--outputs outputs)
answers "own A1 1" >"$work/out"
check "the output is a file" test -s outputs/own.A1.npy
has "of its shape" "'fortran_order': False, 'shape': \(8, 64, 256\)" outputs/own.A1.npy
worker_options=(--outputs nowhere)
has "no place for an output" '^\{"error": ".*nowhere' <(answers "own A1 1" | tail -1)

# --- refusals --------------------------------------------------------------------------------------------------------

shows "a near miss" 2 "did you mean ladder" lader
shows "an unknown preset" 2 "there are A1, A2, A3, A4, B11, B10k, C, D11, D10k, E, F, G, H" --preset A9
shows "a preset of another work" 2 "train and --preset A1 contradict each other" train --preset A1
shows "a preset of another family" 2 "--family decoder and --preset B11 contradict each other" --preset B11 --family decoder
shows "attention has no family" 2 "--family has no use for attention" attention --family decoder
shows "an unknown family" 2 "--family" model --family encoder
shows "a source has a length, no prompt" 2 "--prompt has no use for decode" decode --prompt 3
shows "a decoder has no source" 2 "--tgt-seq has no use for model --family decoder" model --family decoder --tgt-seq 3
shows "heads divide the width" 2 "3 heads do not divide d_model 256" --heads 3
shows "an option without use" 2 "--causal has no use for model" model --causal
shows "no preset on the ladder" 2 "--preset has no use for ladder" ladder --preset A1
shows "no shape for the tutorial" 2 "--seq has no use for --tutorial" --tutorial attention-block --seq 8
shows "a worker has its orders" 2 "--json has no use for --worker" --worker --json
shows "inputs are the worker's" 2 "--inputs has a use only with --worker" --inputs x
shows "both masks" 2 "contradict each other" --causal --no-causal
shows "a step needs two tokens" 2 "at least 2 tokens" train --seq 1
shows "one id is no vocabulary" 2 "--vocab takes a whole number from 2" model --vocab 1
for count in -5 010 nan 1e99 3x 0; do shows "--repeat $count" 2 "--repeat takes a whole number" --repeat "$count"; done
shows "too long" 71 "of memory" --seq 1000000000
shows "too long for the ladder" 71 "of memory" ladder --seq 10000000
shows "too wide a model" 71 "of memory" model --d-model 1000000 --heads 1
shows "too large a batch to train" 71 "of memory" train --batch 100000000
shows "too much to write" 71 "of memory" decode --max-tokens 100000000

# --- the screen ------------------------------------------------------------------------------------------------------

for width in 40 80 200; do
  for arguments in "" "ladder" "lesson" "decode --layers 1"; do
    # shellcheck disable=SC2086 # the arguments are words
    shape=("${small[@]}")
    if [[ $arguments == lesson ]]; then shape=(--seq 16 --d-model 32 --repeat 3); fi
    run bench $arguments "${shape[@]}" --width "$width" --ascii --lang en # a byte is a column
    widest=$(awk '{ if (length > n) n = length } END { print n }' "$work/out")
    check "bench $arguments stays within $width columns" test "$status" = 0 -a "$widest" -le "$width"
  done
done
if LC_ALL=C grep -q '[^ -~]' "$work/out"; then not_ok "--ascii" "other characters"; else ok "--ascii"; fi

# --- a page of it ----------------------------------------------------------------------------------------------------

shows "is saved" 0 "equals the lessons' formulas" attention "${small[@]}" --no-time --save page.html
check "under the command that shows it" grep -q '<code>tfx bench attention --seq 16 --d-model 32' page.html
ln -s /dev/full full.html
run bench attention "${small[@]}" --no-time --save full.html --lang en
check "a page that cannot be written leaves the screen" grep -q "equals the lessons' formulas" "$work/out"
check "and has the status of what failed" test "$status" = 74
shows "no other name" 2 "does not know what to write" attention "${small[@]}" --save page.npz

finish
