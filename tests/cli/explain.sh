#!/usr/bin/env bash
# What a learner reads in an explanation, in both languages: rules, what a long sum leaves out, repetitions, and one
# spelling of infinity.
#   tests/cli/explain.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# shows_line NAME LINE ARGUMENT…: one line of the screen, blanks at its ends aside, is LINE.
shows_line() {
  local name=$1 line=$2
  shift 2
  run "$@"
  check "$name" grep -qxF -- "$line" <(sed 's/^ *//; s/ *$//' "$work/out")
}

# hides NAME PATTERN ARGUMENT…: no line of the screen has it.
hides() {
  local name=$1 pattern=$2
  shift 2
  run "$@"
  if [[ ! -s $work/out ]]; then
    not_ok "$name" "no screen"
  elif grep -Eq -- "$pattern" "$work/out"; then
    not_ok "$name" "$(grep -Em1 -- "$pattern" "$work/out")"
  else
    ok "$name"
  fi
}

masked_row=(--pad 5 --width 120 --no-time)
shows_line "a fully masked row's cell" 'one cell weights[I, I] = 0, by the rule max(masked[I, :]) = −∞ ⇒ 0: this row may see nothing' \
  --lang en masked "${masked_row[@]}"
shows_line "a fully masked row's cell as NaN" \
  '一格     weights[I, I] = nan，按规则 max(masked[I, :]) = −∞ ⇒ nan：这一行什么都看不到' \
  --lang zh masked "${masked_row[@]}" --on-masked-row nan
shows_line "the command that explains it as NaN" 'tfx explain masked weights I I --pad 5 --on-masked-row nan' \
  --lang en masked "${masked_row[@]}" --on-masked-row nan
shows_line "its check" 'check    ✓ 5 of 5 rows may see nothing: the weights of each sum to 0' --lang en masked --full "${masked_row[@]}"
run --lang en masked "${masked_row[@]}"
check "no row sums to 1" test "$(grep -c 'sums\? to 1 ' "$work/out")" = 0
shows_line "the rule of a weight" 'max(masked[I, :]) = −∞ ⇒ 0: this row may see nothing' \
  --lang en explain masked weights 1 1 --pad 5
hides "no false arithmetic for it" 'exp\(|∞ [-+]' --lang en explain masked weights 1 1 --pad 5
hides "nor for 0 / 0" '0 / 0' --lang en explain softmax weights 0 0 --pad 4
hides "no infinite facts" '(up to|by|to|最大|改变|到) (-|−)?(inf|∞)' --lang en attention --pad 4 --on-masked-row nan

# --- labels instead of indices ---------------------------------------------------------------------------------------

# same NAME A B: two commands of one screen.
same() {
  # shellcheck disable=SC2086 # arguments are words
  run $2
  slurp "$work/out"
  local first=$text
  # shellcheck disable=SC2086
  run $3
  slurp "$work/out"
  check "$1" test "$status" = 0 -a -n "$text" -a "$text" = "$first"
}
same "labels name a cell" "explain scores scores 0 2" "explain scores scores q1 k3"
same "beside an index" "explain scores scores 0 2" "explain scores scores q1 2"
same "of a batch's tensor" "explain sdpa output 1 2 3" "explain sdpa output 1 q3 3"
same "of the model" "explain model encoder.layers.1.self_attn.weights 2 0 3" "explain model encoder.layers.1.self_attn.weights 2 s r"
printf 'New York,1,0\nthe,0,1\n' >"$work/cities.csv"
command=(--lang en)
shows "a label with a blank" 0 'scores[New York, the] = ' explain scores scores 'New York' the --words "$work/cities.csv"
shows "a Chinese label" 0 'scores[语, 我] = ' explain scores scores 语 我 --text "我爱语言"
shows "a number is never a label" 0 'scores[5, 0] = ' explain scores scores 1 2 --text "0 5 0" # the third of the keys
shows "a label that stands twice" 2 'take its index: 0, 2' explain scores scores the 1 --text "the cat the"
shows "an unknown label" 2 'scores has no label "caat" on axis 0; did you mean cat' explain scores scores caat 0 --text "the cat"
shows "the labels there are" 2 'its labels: q1, q2, q3, q4' explain scores scores k1 q1
command=(--lang zh)
shows "an unknown label, in Chinese" 2 'scores 的轴 1 上没有标签“q1”' explain scores scores q1 q1
shows "and one that stands twice" 2 '请写下标：0、2' explain scores scores 我 1 --text "我 爱 我"
command=()
# What a page offers is a command that explains the same cell, also where its words need quotes.
for lesson in lookup words qkv scores softmax attention sdpa masked multihead cross embed block loss "train step" "decode step" "cache step" "bpe step" model "scores --text it's_<s>_\$a" "model --text stop"; do
  # shellcheck disable=SC2086
  run --lang en --width 200 $lesson
  offered=$(grep -oE 'tfx explain .*' "$work/out" | head -1)
  [[ $offered =~ \ [0-9]+( |$) ]] && check "$lesson says that an index counts from 0" grep -q 'index [0-9, ]*: from 0' "$work/out"
  cell=$(grep -oE '^one cell [^=]*= ' "$work/out" | sed 's/^one cell *//; s/ = $//')
  bash -c "tfx() { '$tfx' --lang en --width 200 \"\$@\"; }; $offered" >"$work/explained" 2>"$work/err"
  [[ $lesson == model* ]] && cell=$(sed -n '1s/ = .*//p' "$work/explained") # its page prints the command alone
  check "$lesson: $offered" grep -qF -- "$cell = " "$work/explained"
done
check "the model's cell is no padding" grep -qvF '<pad>' <<<"$offered"

long=(explain multihead output 0 2 --tutorial annotated --width 200)
run --lang en "${long[@]}"
check "the terms left out, in English" grep -q ' + (505 more: -0\.1326)$' "$work/out"
run --lang zh "${long[@]}"
check "the terms left out, in Chinese" grep -q ' + （其余 505 项：-0\.1326）$' "$work/out"

deep=(explain attention output 0 2 --depth 3)
shows_line "a cell that stands above" 'scaled[q1, k1] = 4.6188  (as above)' --lang en "${deep[@]}"
shows_line "a cell that stands above, in Chinese" 'scaled[q1, k1] = 4.6188  （同上）' --lang zh "${deep[@]}"
run "${deep[@]}"
check "it is explained once" test "$(grep -c '^ *scaled\[q1, k1\] = scores' "$work/out")" = 1
run "${deep[@]:0:5}" --depth 20 --json
check "and once in JSON" test "$(grep -o '"label": *"scaled\[q1, k1\]","value": *[0-9.]*,"formula":"[^"]*","arith' "$work/out" | wc -l)" = 1
check "which stays small" test "$(wc -c <"$work/out")" -lt 100000

# --- how long it may become ------------------------------------------------------------------------------------------

# Megabytes came without a word.
large=(explain multihead output 0 0 --d-model 96 --heads 4 --n-q 32 --depth 20)
for form in "" --json; do
  # shellcheck disable=SC2086 # no word where there is no form
  run "${large[@]}" --all $form
  check "what is very long says so first ${form:-on the screen}" grep -Eq '^tfx: this explanation has [0-9,]+ terms, about [0-9.]+ [MG]B$' "$work/err"
  said=$(grep -oE '[0-9.]+ MB' "$work/err" | grep -oE '^[0-9]+')
  written=$(($(wc -c <"$work/out") / 1000000))
  check "and how long: $said MB, $written written" test $((10 * said)) -gt $((9 * written)) -a $((9 * said)) -lt $((10 * (written + 1)))
  check "it goes on" test "$status" = 0
done
run "${large[@]}" --json
check "without --all it does not go on" test "$status" = 2 -a ! -s "$work/out"
check "and says what to do" grep -q -- '--depth is shorter; --all writes every term' "$work/err"
run "${large[@]}" --json --lang zh
check "in Chinese too" grep -q '这段解释有 [0-9,]* 项' "$work/err"

for arguments in "masked" "explain masked weights 1 3" "masked --pad 5" "softmax" "attention --causal"; do
  # shellcheck disable=SC2086 # the options are words
  hides "$arguments: one spelling of infinity" '(^|[^a-z])inf([^a-z]|$)' --lang en $arguments
done
shows_line "infinity in ASCII" 'mask[I, you] = 0 => -inf' --lang en --ascii explain masked weights 1 3

# --- as a file -------------------------------------------------------------------------------------------------------

run explain softmax weights 0 1 --depth 3 --json --save "$work/cell.json" --lang en
check "what is saved is what --json prints" cmp -s "$work/out" "$work/cell.json"
run explain masked output 1 0 --depth 2 --all --tutorial annotated --save "$work/cell.html" --lang en
check "a page says how to have it again" \
  grep -q '<code>tfx explain masked output [^<]* --depth 2 --all --tutorial annotated</code>' "$work/cell.html"
check "and of which lesson it is" grep -q 'lesson 9: what may not be seen</span><span lang="zh">第 9 课' "$work/cell.html"
run explain model log_probs 0 0 --weights en-zh --depth 14 --json --save "$work/long.json" --lang en
check "what is refused is not saved" test "$status" = 2 -a ! -e "$work/long.json" -a ! -s "$work/out"
run explain model log_probs 0 0 --weights en-zh --depth 14 --all --save "$work/long.html" --lang en
check "what is too long for a file" test "$status" = 2 -a ! -e "$work/long.html" -a ! -s "$work/out"
check "says so" grep -q 'an explanation of more than 20.* MB is too long for a file' "$work/err"
run explain model log_probs 0 0 --weights en-zh --depth 14 --all --save "$work/long.html" --lang zh
check "in Chinese too" grep -q '的说明太长，存不成文件' "$work/err"

finish
