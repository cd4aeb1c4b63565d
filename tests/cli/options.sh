#!/usr/bin/env bash
# The tree of commands, walked by their help: every option that takes a number refuses what is none, every option that
# takes a file says which one it could not read or write. An option that is added is tested here without a word.
#   tests/cli/options.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
# shellcheck source-path=SCRIPTDIR source=samples.sh
source "${self%/*}/samples.sh"
export LC_ALL=C.UTF-8

make_samples
printf 'one two\tuno dos\ntwo one\tdos uno\n' >pairs.tsv
mkdir folder folder.{npz,npy,csv,tsv,json,safetensors,html}

# with COMMAND OPTION VALUE: runs the sample of COMMAND, of samples, with the OPTION in place of its own one.
declare -A samples
with() {
  local command=$1 option=$2 value=$3 given arguments=()
  read -ra given <<<"${samples[$command]}"
  for ((i = 0; i < ${#given[@]}; i++)); do
    if [[ ${given[i]} == "$option" ]]; then ((i++)); else arguments+=("${given[i]}"); fi
  done
  case "$command $option" in # without these the option has no use
    "model --smoothing") arguments+=(--labels 2,3) ;;
    "model --weights") arguments=(--src 1 --tgt 1) ;;
    "model --pairs") arguments=(--weights reverse --roles) ;;
    "model --config") arguments=(--weights gpt2.safetensors --tgt 1) ;;
    "model --embeddings") arguments=(--src 1 --tgt 1 --heads 2 --weights layers.safetensors) ;;
    *" --dropout-at") arguments+=(--dropout 0.1) ;;
    "decode --length-penalty") arguments+=(--beam 2) ;;
    "grade --seed") arguments=(softmax.py) ;; # a class has its seeds in the roster
    "grade --save") arguments=(softmax --run true) ;;
    "score --corpus") arguments=(--model writer.safetensors) ;;
    "score --on") arguments=(--model writer.safetensors --corpus sample.txt) ;;
    "train --validation") arguments+=(--pairs pairs.tsv) ;;
    *" --logits") arguments+=(--labels 1) ;;
    "induction --"*) [[ $option == --@(model|text|heads|save|show) ]] || arguments+=(--train) ;;
    *" --save-every" | *" --log") arguments+=(--out out.safetensors) ;;
  esac
  run --lang en "$command" "${arguments[@]}" "$option" "$value"
}

# useless COMMAND OPTION: the command, or its lesson, refuses it whatever its value, and says so.
useless() {
  with "$1" "$2" nowhere/x.npz
  local text
  slurp "$work/err"
  ((status == 2)) && [[ $text == "tfx: $2 has no use for "* ]]
}

# refuses STATUSES FRAGMENT COMMAND OPTION VALUE: with one of these, a message with FRAGMENT, and nothing on stdout.
refuses() {
  local statuses=$1 fragment=$2 text
  shift 2
  with "$@"
  slurp "$work/err"
  if [[ " $statuses " != *" $status "* ]]; then
    not_ok "tfx $1 $2 '$3'" "status $status: $(first_lines "$work/err")"
  elif [[ -s $work/out ]]; then
    not_ok "tfx $1 $2 '$3'" "it prints: $(first_lines "$work/out")"
  elif [[ $text != "tfx: "*"$fragment"* ]]; then
    not_ok "tfx $1 $2 '$3'" "no \"$fragment\": $(first_lines "$work/err")"
  else
    return 0
  fi
  return 1
}

# unreadable and unwritable need a user whom permissions bind.
as_nobody=()
if ((EUID == 0)); then
  chmod 755 "$work" "$work/here"
  as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  if ! "${as_nobody[@]}" "$tfx" --version >/dev/null 2>&1; then as_nobody=(); fi
fi
cp sample.npz locked.npz
cp "${self%/tests/*}/data/reference/apart/torch-last.layers.safetensors" layers.safetensors
cp "${self%/tests/*}/data/reference/families/gpt2.safetensors" gpt2.safetensors
chmod 000 locked.npz
mkdir -m 555 closed

numbers=0 files=0
# path_option COMMAND OPTION TYPE
path_option() {
  local command=$1 option=$2 extension=.npz
  case $3 in
    FILE.*) extension=.${3#FILE.} ;;
  esac
  if [[ $option$extension == --save.npz ]]; then # a command without tensors has a page and its numbers
    run --lang en --width 200 "$command" --help
    if ! grep -q -- '--save .*\.npz' "$work/out"; then extension=.json; fi
  fi
  case $option in
    --out | --weights-out | --resume | --model) extension=.safetensors ;;
    --words | --file | --pairs) extension=.csv ;;
  esac
  if useless "$command" "$option"; then return; fi
  files=$((files + 1))
  case $option in
    --save | --out | --weights-out | --vocab-out | --log | --save-weights)
      refuses 73 "cannot write folder$extension: Is a directory" "$command" "$option" "folder$extension" &&
        refuses 73 "cannot write missing/x$extension: No such file" "$command" "$option" "missing/x$extension" &&
        refuses "2 73" "" "$command" "$option" ""
      if ((${#as_nobody[@]} || EUID)); then
        denied 73 "$command" "$option" "closed/x$extension"
      fi
      ;;
    *)
      refuses "65 66" "folder$extension" "$command" "$option" "folder$extension" &&
        refuses 66 "missing$extension" "$command" "$option" "missing$extension" &&
        refuses "2 66" "" "$command" "$option" ""
      if ((${#as_nobody[@]} || EUID)); then denied 66 "$command" "$option" "locked.npz"; fi
      ;;
  esac
}

# denied STATUS COMMAND OPTION FILE: as a user who may not.
denied() {
  local program=$tfx wanted=$1
  shift
  cat >"$work/denied" <<END
#!/bin/sh
exec ${as_nobody[@]} $tfx "\$@"
END
  chmod 755 "$work/denied"
  tfx=$work/denied
  refuses "$wanted" "$3: Permission denied" "$@"
  tfx=$program
}

# -5, 010 … are refused, in a message that names the option and says what it takes.
number_option() {
  local value
  numbers=$((numbers + 1))
  for value in -5 010 nan 1e99 3x; do refuses 2 "$2 takes " "$1" "$2" "$value" || return; done
  refuses 2 "$2" "$1" "$2" ""
}

global=(--precision --width --threads)
for command in $(commands_of_help); do
  if ! samples[$command]=$(sample_of "$command"); then
    not_ok "tfx $command" "tests/cli/samples.sh has no arguments for it"
    continue
  fi
  before=$failed
  options_of "$command" >"$work/options"
  while read -r option type; do
    case $type in
      N | [A-Z] | NORM) number_option "$command" "$option" ;;
      DIR) ;; # of the worker of bench: looked into when a line of its input asks for it
      FILE*) path_option "$command" "$option" "$type" ;;
      *"|"*) refuses 2 "$option" "$command" "$option" "neither" ;;
    esac
  done <"$work/options"
  for option in "${global[@]}"; do number_option "$command" "$option"; done
  check "every option of tfx $command" test $failed = "$before"
done
check "$numbers options take numbers, $files files" test $numbers -gt 200 -a $files -gt 90
if ((${#as_nobody[@]} == 0 && EUID == 0)); then echo "skipped: no user here whom permissions bind"; fi
echo "count numeric options walked $numbers"
echo "count file options walked $files"

# --- options that contradict each other ------------------------------------------------------------------------------

# against FRAGMENT ARGUMENT…: status 2, and both are named.
against() {
  local fragment=$1 name text
  shift
  put_name "$@"
  run --lang en "$@"
  slurp "$work/err"
  if ((status != 2)) || [[ -s $work/out || $text != "tfx: "*"$fragment"* ]]; then
    not_ok "$name" "status $status: $(first_lines "$work/err")"
  else
    ok "$name"
  fi
}
ids=(--src 1 --tgt 1)
against "--norm-last and --norm-first contradict" model "${little[@]}" "${ids[@]}" --norm-first --norm-last
for option in "--d-model 8" "--seed 3" "--init he" "--preset tiny" "--layers 2" "--vocab 11"; do
  # shellcheck disable=SC2086 # an option and its value
  against "${option% *} has no use beside --weights" model --weights sample.safetensors "${ids[@]}" $option
done
against "--smoothing has a use only with --labels" model "${little[@]}" "${ids[@]}" --smoothing 0.1
against "--grad has a use only with --labels" model "${little[@]}" "${ids[@]}" --grad
against "--labels needs a row for every row" model "${little[@]}" --vocab 11 "${ids[@]}" --labels 1,2
for option in "--temperature 0.5" "--top-k 3" "--top-p 0.5" "--seed 3"; do
  # shellcheck disable=SC2086
  against "${option% *} and --beam contradict" decode --beam 2 $option
done
against "--length-penalty has a use only with --beam" decode --length-penalty 1
against "--seed has a use only with" decode --seed 3
for option in "--text a" "--align" "--json" "--save x.npz"; do
  # shellcheck disable=SC2086
  against "${option% *} and --file contradict" decode --file sample.csv $option
done
against "--task and --pairs contradict" train --pairs sample.csv --task copy
against "--src-tokens has a use only with --pairs" train --src-tokens words
against "--validation has a use only with --pairs" train --validation sample.csv
against "--min-count has a use only with --pairs" train --min-count 2
against "--weights-dtype has a use only with --weights-out" train "${little[@]}" --weights-dtype f16
against "--validation and --log contradict" train --pairs sample.csv --validation v.tsv --log v.tsv
against "--save-every has a use only with --out" train "${little[@]}" --save-every 1
against "--measure-every and --held-out 0 contradict" train "${little[@]}" --measure-every 1 --held-out 0
against "--decay-to has a use only with --schedule linear" train "${little[@]}" --schedule warmup --decay-to 5
against "--out takes the name of a .safetensors file" train "${little[@]}" --out x.npz
against "--weights-out takes the name of a .safetensors" train "${little[@]}" --weights-out x.csv
against "--out and --weights-out contradict" train "${little[@]}" --out x.safetensors --weights-out x.safetensors
against "--out and --log contradict" train "${little[@]}" --out x.safetensors --log x.safetensors
against "--resume and --weights-out contradict" train --resume sample.safetensors --weights-out ./sample.safetensors
ln -s unborn.safetensors link.safetensors
against "--out and --weights-out contradict" train "${little[@]}" --out unborn.safetensors --weights-out ./link.safetensors
against "--out and --log contradict" train "${little[@]}" --out unborn.safetensors --log link.safetensors
for file in x.safetensors.prev ./x.safetensors.prev; do
  against "--log $file: each save puts" train "${little[@]}" --out x.safetensors --log $file
done
against "--log sample.safetensors.prev: each save puts" train --resume sample.safetensors --log sample.safetensors.prev
for kind in npy npz json html; do against "--log writes CSV" train "${little[@]}" --log "x.$kind"; done
against "--save and --save-weights contradict" model "${little[@]}" "${ids[@]}" --save x.npz --save-weights ./x.npz
against "standard input is named twice" attention --q - --k -
against "standard input is named twice" masked --x=- --mask -
against "standard input is named twice" check scores - --x -
against "standard input is named twice" diff - -
against 'no model "-"' params - -
against 'has no tensor "-"' explain scores - - # what is no file may be called so
against "--pairs and --log contradict" train --pairs sample.csv --log sample.csv
against "trained with d_model 8, not 16" train --resume sample.safetensors --d-model 16
against "trained with preset" train --resume sample.safetensors --preset base
against "trained with targets own" train --resume sample.safetensors --shuffle-targets
against "--d-model has no use for sample.safetensors" params sample.safetensors --d-model 8
against "--tied needs one vocabulary" params --tied --src-vocab 3 --tgt-vocab 4
against "do not divide" params --heads 3 --d-model 8
against "--layers has no use for attention" bench attention --layers 2
against "--no-causal and --causal contradict" bench attention --causal --no-causal
against "--inputs has a use only with --worker" bench --inputs .
against "attention and --preset B11 contradict" bench attention --preset B11
against "--json has no use for --worker" bench --worker --json
against "--causal has no use for model" bench model --causal
against "--causal has no use for cross" cross --causal

# An option, or the end of options, as the value of another is a value forgotten.
against "--text needs a value after it" attention --text --d-model=4
against "--text needs a value after it" attention --text --
for other in --json --quiet "--show scores"; do
  read -ra arguments <<<"$other"
  run scores --full "${arguments[@]}"
  check "--full and $other contradict each other" test "$status" = 2
done
run attention --text=--d-model=4 --quiet
check "a text that looks like an option" test "$status" = 0

# Whom an option is for, and where it stands.
against "--json stands behind its command" --json scores
against "--src has no use for scores" scores --src 1
check "nobody names explain model" test "$(grep -c 'explain model' "$work/err")" = 0
against 'there is no command "explain model"' "explain model" logits 0 0 0
against "trained with schedule linear, not warmup" train --resume sample.safetensors --schedule warmup
check "the schedule is called as one types it" grep -q 'not warmup$' "$work/err"
against "--save-every has a use only with --out or --resume" train "${little[@]}" --save-every 1
against "there is no work \"trai\"" bench trai
check "which there are" grep -q 'there are attention, model, train, decode, ladder, lesson' "$work/err"
check "a preset's names in the help" grep -q 'A1, A2, A3' <("$tfx" bench --help --lang en)
against "--depth is given twice" explain --depth 1 model logits 0 0 0 --depth 2

# A choice that is as it was without the option is given all the same.
for row in zero nan; do against "--on-masked-row has no use for qkv" explain qkv Q 0 0 --on-masked-row $row; done

# A checkpoint knows how its texts were cut.
printf 'one two\tuno dos\ntwo one\tdos uno\n' >few.tsv
train=(train "${little[@]}" --steps 1 --held-out 0 --quiet)
"$tfx" "${train[@]}" --pairs few.tsv --src-tokens words --tgt-tokens words --out words.safetensors >/dev/null
against "trained with --src-tokens words, not characters" train --resume words.safetensors --src-tokens characters
against "trained with --tgt-tokens words, not characters" train --resume words.safetensors --tgt-tokens characters
against "trained with --src-tokens ids, not words" train --resume sample.safetensors --src-tokens words
run train --resume words.safetensors --src-tokens words --steps 2 --quiet
check "the same tokens contradict nothing" test "$status" = 0
against "trained with validation —, not few.tsv" train --resume words.safetensors --validation few.tsv
against "trained with min_count 1, not 2" train --resume words.safetensors --min-count 2
printf 'one\tuno\n' >held.tsv
"$tfx" "${train[@]}" --pairs few.tsv --validation held.tsv --src-tokens sentences --min-count 2 --out held.safetensors >/dev/null
run train --resume held.safetensors --validation held.tsv --steps 2 --quiet
check "a training with validation is resumed" test "$status" = 0

# --- Chinese ---------------------------------------------------------------------------------------------------------

# chinese TEXT ARGUMENT…: status 2, and the refusal is in Chinese.
chinese() {
  local text=$1 command=()
  shift
  shows "zh: $(name_of "$@")" 2 "$text" --lang zh "$@"
}
chinese '没有课程“foo”' quiz foo
chinese '没有课程“foo”' reset foo
chinese '没有课程“sofmax”；是不是想写 softmax？' code sofmax
chinese '没有教程“annotate”；是不是想写 annotated？' scores --tutorial annotate
chinese '教程 scaled-dot-product 的数据不适合 words 这一课' words --tutorial scaled-dot-product
chinese 'scores 的形状是 (4, 4)：要 2 个下标，不是 1 个' explain scores scores 0
chinese '下标 4 超出了轴 0' explain scores scores 4 0
chinese '--temperature、--top-k 或 --top-p 一起才有用' decode --seed 3
printf '1 2 q\n' >lines.txt
run --lang zh decode --model sample.safetensors --file lines.txt
check "a bad line is named in Chinese" grep -q '^tfx: lines.txt，第 1 行：' "$work/err"

# --- no padding ------------------------------------------------------------------------------------------------------

# same_as_without ARGUMENT…: the status, the screen and the messages with --pad 0 are those without it.
same_as_without() {
  "$tfx" "$@" >without.out 2>without.err </dev/null
  local without=$?
  run "$@" --pad 0
  if ((status == without)) && cmp -s without.out "$work/out" && cmp -s without.err "$work/err"; then
    ok "$(name_of "$@") --pad 0"
  else
    not_ok "$(name_of "$@") --pad 0" "status $status, without it $without: $(first_lines "$work/err")"
  fi
}
"$tfx" masked --save masked.npz --quiet >/dev/null
for lesson in masked multihead cross block loss; do
  same_as_without "$lesson" --no-time
  same_as_without "$lesson" --text "a b c" --no-time
  same_as_without break "$lesson"
done
same_as_without explain masked weights 1 0
same_as_without quiz masked
same_as_without check masked masked.npz
same_as_without check masked masked.npz --text "a b c"
same_as_without break decode
"$tfx" report without.html --steps 0 --no-time >/dev/null
run report with.html --steps 0 --no-time --pad 0
check "tfx report --pad 0" cmp -s without.html with.html

# --- where a mask and its triangle stand -----------------------------------------------------------------------------

command=()
printf '0,1,1\n0,0,1\n0,0,0\n' >turned.csv
shows "a mask that seems turned round is asked about" 0 'Does 1 mean "blocked" in it' \
  masked --text "a b c" --mask turned.csv --lang en --width 200
shows "in Chinese too" 0 "其中的 1 是不是“挡住”的意思" masked --text "a b c" --mask turned.csv --lang zh
shows "the triangle is at the upper left, and that is said" 0 "as PyTorch's is_causal puts it" \
  sdpa --n-q 2 --n-k 5 --causal --lang en --width 200
shows "or at the lower right" 0 "[j ≤ i + n_k − n_q]" sdpa --n-q 2 --n-k 5 --causal-align lower-right --full --lang en
shows "--causal may stand beside it" 0 "[j ≤ i + n_k − n_q]" \
  masked --n-q 2 --n-k 5 --causal --causal-align lower-right --full --lang en
shows "there are two corners" 2 "lower-right" masked --causal-align middle --lang en

finish
