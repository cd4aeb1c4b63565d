#!/usr/bin/env bash
# Pipes, full disks, closed outputs, narrow and dumb terminals, colours, and text that tries to drive the terminal.
#   tests/cli/terminals.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
# shellcheck source-path=SCRIPTDIR source=samples.sh
source "${self%/*}/samples.sh"

make_samples
lessons=(lookup words qkv scores softmax attention sdpa masked multihead)
sampled_commands
commands+=("" --help --version "scores --help" "explain scores scores 0 2 --json" "scores --json"
  "multihead --tutorial attention-block:2" "qkv --tutorial annotated --json" decode "cache --json" "doctor --json"
  "train ${little[*]} --batch 2 --held-out 2 --steps 2 --quiet --out run.safetensors --log run.csv")

# --- pipes and full disks --------------------------------------------------------------------------------------------

# quiet NAME STATUS ALLOWED…: STATUS is one of those allowed, and nothing was said.
quiet() {
  local name=$1 got=$2
  shift 2
  if [[ " $* " != *" $got "* ]]; then
    not_ok "$name" "status $got: $(first_lines "$work/err")"
  elif [[ -s $work/err ]]; then
    not_ok "$name" "it says: $(first_lines "$work/err")"
  else
    ok "$name"
  fi
}

# refused NAME STATUS: 74, with one line that says why.
refused() {
  if (($2 != 74)); then
    not_ok "$1" "status $2, not 74"
  elif [[ $(<"$work/err") != "tfx: cannot write to standard output: "* ]]; then
    not_ok "$1" "it says: $(first_lines "$work/err")"
  else
    ok "$1"
  fi
}

# Two descriptors of a pipe that nobody reads: the write fails for sure, and at once.
unread() {
  local pipe=$work/pipe status
  rm -f "$pipe"
  mkfifo "$pipe"
  exec 8<>"$pipe" 9>"$pipe" 8>&- # opened for both ends, then without its reader
  "$@" >&9 2>"$work/err" 9>&-
  status=$?
  exec 9>&-
  return $status
}

for command in "${commands[@]}"; do
  read -ra arguments <<<"$command"
  success=0
  if [[ $command == quiz* ]]; then success=1; fi # nobody answers
  "$tfx" "${arguments[@]}" 2>"$work/err" </dev/null | head -n 1 >/dev/null
  quiet "tfx $command | head -1" "${PIPESTATUS[0]}" "$success" 141
  unread "$tfx" "${arguments[@]}"
  quiet "tfx $command to a reader that has gone" $? 141
  (trap '' PIPE && unread "$tfx" "${arguments[@]}")
  quiet "tfx $command to a reader that has gone, SIGPIPE ignored" $? "$success"
  "$tfx" "${arguments[@]}" >/dev/full 2>"$work/err"
  refused "tfx $command > /dev/full" $?
  "$tfx" "${arguments[@]}" >&- 2>"$work/err"
  refused "tfx $command >&-" $?
  "$tfx" "${arguments[@]}" <&- >"$work/out" 2>"$work/err"
  status=$?
  if ((success)); then
    check "tfx $command <&- cannot read answers" grep -q "^tfx: cannot read standard input: " "$work/err"
  else
    quiet "tfx $command <&-" $status 0
  fi
  "$tfx" "${arguments[@]}" 2>&- >"$work/out" </dev/null
  check "tfx $command 2>&-" test $? = "$success" -a -s "$work/out"
done
"$tfx" scroes >&- 2>"$work/err"
check "a usage error with stdout closed" test $? = 2
"$tfx" scroes 2>/dev/full
check "a usage error with stderr full" test $? = 2
"$tfx" scroes 2>&-
check "a usage error with stderr closed" test $? = 2

# written_with REDIRECTION…: the checksum of the files that a training and a lesson write with these channels closed.
written_with() {
  rm -f run.*
  local training=(train "${little[@]}" --batch 2 --held-out 2 --steps 3 --threads 1 --out run.safetensors --log run.csv)
  eval '"$tfx" "${training[@]}"' "$@"
  eval '"$tfx" softmax --save run.npz' "$@"
  eval '"$tfx" softmax --no-time --save run.json' "$@"
  cat run.safetensors run.csv run.npz run.json | cksum
}

# A file that is opened while a channel is closed must not get the channel's number, and with it what is printed.
expected=$(written_with '>/dev/null' '2>/dev/null')
for closed in "<&- >/dev/null 2>/dev/null" ">&- 2>/dev/null" ">/dev/null 2>&-" "<&- >&- 2>/dev/null" "<&- >&- 2>&-"; do
  check "files written with $closed hold what they should" test "$(written_with "$closed")" = "$expected"
done

# --- surroundings ----------------------------------------------------------------------------------------------------

run attention --no-time
cp "$work/out" "$work/reference"
# as_ever NAME COMMAND…: prints the same screen and says nothing.
as_ever() {
  local name=$1
  shift
  "$@" >"$work/out" 2>"$work/err" </dev/null
  quiet "$name" $? 0
  check "$name: the same screen" cmp -s "$work/reference" "$work/out"
}
as_ever "no HOME" env -u HOME "$tfx" attention --no-time
as_ever "a HOME that is not there" env HOME=/nowhere "$tfx" attention --no-time
as_ever "no environment" env -i COLUMNS=80 "$tfx" attention --no-time
as_ever "no TERM" env -u TERM "$tfx" attention --no-time
as_ever "a TERM nobody knows" env TERM=nonsense "$tfx" attention --no-time
as_ever "NO_COLOR" env NO_COLOR=1 "$tfx" attention --no-time
as_ever "truecolor, but no terminal" env TERM=xterm-256color COLORTERM=truecolor "$tfx" attention --no-time
as_ever "COLUMNS that is no number" env COLUMNS=wide "$tfx" attention --no-time
as_ever "COLUMNS=0" env COLUMNS=0 "$tfx" attention --no-time
as_ever "COLUMNS=-1" env COLUMNS=-1 "$tfx" attention --no-time
as_ever "no COLUMNS" env -u COLUMNS "$tfx" attention --no-time
as_ever "--width wins over COLUMNS" env COLUMNS=40 "$tfx" attention --no-time --width 80
as_ever "options before the command" "$tfx" --width 80 --color never attention --no-time
for locale in C POSIX C.UTF-8 de_DE.UTF-8 en_US.utf8 nowhere; do
  as_ever "LC_ALL=$locale" env LC_ALL=$locale "$tfx" attention --no-time
done
run attention --no-time --lang zh
cp "$work/out" "$work/reference"
for variable in LC_ALL=zh_CN.UTF-8 LC_ALL=zh_TW.utf8 "-u LC_ALL LANG=zh_CN.UTF-8" "-u LC_ALL LANG=C LC_MESSAGES=zh_CN.UTF-8"; do
  # shellcheck disable=SC2086 # the variables are words
  as_ever "$variable" env $variable "$tfx" attention --no-time
done

mkdir read_only
chmod 555 read_only
if [[ ! -w read_only ]]; then # root writes everywhere
  for command in "${commands[@]}"; do
    read -ra arguments <<<"$command"
    (cd read_only && "$tfx" "${arguments[@]}" >"$work/out" 2>"$work/err")
    quiet "tfx $command in a folder that is read only" $? 0
  done
  (cd read_only && "$tfx" scores --save x.npz >"$work/out" 2>"$work/err")
  check "saving into a folder that is read only" test $? = 73
fi

# --- width -----------------------------------------------------------------------------------------------------------

# fits NAME "WIDTH…" COMMAND…: at each width no line is wider than the terminal, which counts as at least 20 wide.
fits() {
  local name=$1 widths=$2 width wide
  shift 2
  for width in $widths; do
    COLUMNS=$width "$tfx" "$@" 2>&1 | sed "s/^/$((width < 20 ? 20 : width))\t/"
  done >"$work/screens"
  wide=$(too_wide <"$work/screens" | sort -u | head -n 3)
  if [[ ! -s $work/screens ]]; then
    not_ok "$name" "no screen"
  elif [[ -n $wide ]]; then
    not_ok "$name" "lines are wider than their terminal: $wide"
  else
    ok "$name"
  fi
}

check "the measure itself" test "$(printf '8\t我爱 −∞█\n8\t我爱 −∞█ \n3\tabc\n2\tabc\n' | too_wide | wc -l)" = 2
# Narrower ones cannot hold the first and the last column of every matrix with their headings.
narrow=$(seq -s ' ' 40 61)
usual="79 80 81 100 119 120 121 132 160 200 240 300"
for lesson in "${lessons[@]}"; do
  fits "$lesson, every narrow terminal" "$narrow" "$lesson" --ascii --lang en
  fits "$lesson" "$usual" "$lesson" --ascii --lang en
  fits "$lesson in Chinese" "40 46 61 80 120 200" "$lesson" --lang zh
  fits "$lesson --help" "50 60 80 200" "$lesson" --help --lang en
  fits "$lesson --help in Chinese" "50 60 80 200" "$lesson" --help --lang zh
done
fits "every width" "$(seq -s ' ' 36 300)" masked --ascii --lang en --no-time
fits "explain at every width" "$(seq -s ' ' 1 61) $usual" explain attention output 0 2 --depth 3 --lang en --ascii
fits "explain of a long sum" "20 40 80 200" explain multihead output 0 2 --tutorial annotated --lang en --ascii
fits "the map" "40 46 60 80 120 200" --lang en
fits "the map in Chinese" "40 46 60 80 120 200" --lang zh
fits "a stack" "46 80 200" multihead --tutorial attention-block:2 --lang en --ascii
fits "512 columns" "46 80 200" multihead --tutorial annotated --lang en --ascii
fits "the tutorial's picture" "46 80 200" multihead --tutorial attention-block:2 --picture tutorial --lang en --ascii
fits "long words" "46 80 200" attention --lang en --ascii --text 'pneumonoultramicroscopicsilicovolcanoconiosis is a word'
fits "Chinese words" "46 80 200" attention --lang zh --text '我爱自然语言 处理 我爱自然语言'
fits "17 digits" "50 80 200" attention --lang en --ascii --precision 17 --text 'a b'
fits "help" "40 60 80 200" --lang en --help
fits "help in Chinese" "40 60 80 200" --lang zh --help
for width in 1 2 19 20 30 1000 99999; do # nothing but long words may stick out there
  COLUMNS=$width "$tfx" multihead --lang zh >"$work/out" 2>"$work/err"
  quiet "COLUMNS=$width" $? 0
done

# --- ASCII -----------------------------------------------------------------------------------------------------------

for command in list "explain masked weights 1 3" "multihead --picture tutorial" "${lessons[@]}"; do
  # shellcheck disable=SC2086 # the command is words
  run $command --ascii --lang en
  check "tfx $command --ascii is ASCII" test "$(LC_ALL=C tr -d '\n -~' <"$work/out" | wc -c)" = 0
done
env LC_ALL=en_US.ISO-8859-1 "$tfx" masked --lang en >"$work/out"
check "a locale without UTF-8 gets ASCII" test "$(LC_ALL=C tr -d '\n -~' <"$work/out" | wc -c)" = 0

# --- colours ---------------------------------------------------------------------------------------------------------

escape=$'\e'
# colored NAME PATTERN COMMAND…: PATTERN is among its escape sequences; all of them set colours, and every line resets
# what it set.
colored() {
  local name=$1 pattern=$2
  shift 2
  "$@" >"$work/out" 2>"$work/err" </dev/null
  if ! grep -q "$escape\[[0-9;]*${pattern}[0-9;]*m" "$work/out"; then
    not_ok "$name" "no $pattern"
  elif sed "s/$escape\[[0-9;]*m//g" "$work/out" | grep -q "$escape"; then
    not_ok "$name" "escape sequences that are no colours"
  elif sed "s/.*$escape\[0*m//" "$work/out" | grep -q "$escape"; then
    not_ok "$name" "not reset: $(sed "s/.*$escape\[0*m//" "$work/out" | grep -m 1 "$escape" | cat -v)"
  else
    ok "$name"
  fi
}
for lesson in softmax masked "multihead --heads 2"; do
  colored "$lesson in truecolor" '48;2;' env TERM=xterm COLORTERM=truecolor "$tfx" $lesson --color always
  colored "$lesson in 256 colours" '48;5;' env TERM=xterm-256color "$tfx" $lesson --color always
  colored "$lesson in bold at least" '1' env TERM=xterm "$tfx" $lesson --color always
  colored "$lesson in colours in ASCII" '1' env TERM=xterm "$tfx" $lesson --color always --ascii
  env TERM=xterm COLORTERM=truecolor "$tfx" $lesson --color always --no-time | sed "s/$escape\[[0-9;]*m//g" >"$work/bare"
  run $lesson --color never --no-time
  check "$lesson --color never has none" test "$(grep -c "$escape" "$work/out")" = 0
  check "$lesson in a pipe has none" test "$(TERM=xterm COLORTERM=truecolor "$tfx" $lesson | grep -c "$escape")" = 0
  check "colours change no number of $lesson" test "$(tr -cd '0-9.\n' <"$work/bare" | cksum)" = \
    "$(tr -cd '0-9.\n' <"$work/out" | cksum)"
done
# 0 is the ground's side: near black unless COLORFGBG says that the ground is light. A small weight of masked shows it.
for ground in "0:" "0:15;0" "0:7;8" "0:15;default" "15:0;15" "15:0;default;15" "15:0;7"; do
  light=$([[ $ground == 15:* ]] && echo 255 || echo 24)
  TERM=xterm COLORTERM=truecolor COLORFGBG=${ground#*:} "$tfx" masked --color always --no-time >"$work/out"
  check "a picture on a ground of ${ground#*:}" grep -q "48;2;$light;" "$work/out"
done
colored "the map" '1' "$tfx" --color always list
colored "always wins over NO_COLOR and TERM=dumb" '1' env NO_COLOR=1 TERM=dumb "$tfx" --color always masked

# --- text that would drive the terminal ------------------------------------------------------------------------------

# tame NAME COMMAND…: nothing of it reaches the terminal, whatever the status.
tame() {
  local name=$1
  shift
  run "$@"
  if is_tame; then ok "tame: $name"; else not_ok "tame: $name" "$(untamed)"; fi
}
unnoticed=0
for text in $'\e' $'\a' $'\t' $'\x7f' $'\xc2\x9b' $'\xe2\x80\xae' $'\xe2\x81\xa6' $'\xe2\x80\xa8' $'\xe2\x80\x8f' $'\xd8\x9c'; do
  echo "我${text}é" | tee "$work/out" >"$work/err"
  if is_tame; then unnoticed=$((unnoticed + 1)); fi
done
check "each of them is noticed" test $unnoticed = 0
printf '我爱 −∞█ é\n' | tee "$work/out" >"$work/err"
check "and nothing else" is_tame
printf '"%s",1,2\nb,3,4\n' "$evil" >words.csv
printf '1,2\n3,4\n' >"$evil.csv"
printf '1,"%s"\n3,4\n' "$evil" >cell.csv
run qkv --quiet --save "$evil.npz"
cp "$evil.npz" weights.npz
for lesson in words attention masked multihead; do
  tame "$lesson --text" $lesson --text "$evil word"
  tame "$lesson --text --json" $lesson --text "$evil word" --json
  tame "$lesson --words" $lesson --words words.csv
  tame "$lesson --words --json" $lesson --words words.csv --json
  tame "$lesson --x" $lesson --x "$evil.csv"
done
tame "--text in Chinese" attention --text "$evil word" --lang zh
tame "--x --json" attention --x "$evil.csv" --json
tame "--q" attention --q "$evil.csv"
tame "explain --words" explain attention output 0 1 --words words.csv
tame "explain --words --json" explain attention output 0 1 --words words.csv --json
tame "explain --x" explain attention output 0 1 --x "$evil.csv"
cp "${self%/tests/*}/data/models/reverse.safetensors" "$evil.safetensors"
for lesson in words multihead; do
  tame "$lesson --model" $lesson --model "$evil.safetensors"
  tame "$lesson --model --json" $lesson --model "$evil.safetensors" --json
done
tame "--weights" qkv --weights "$evil.npz"
tame "--weights that do not fit" qkv --text a --weights "$evil.npz"
tame "--weights with other tensors" scores --weights "$evil.npz"
tame "--mask that does not fit" masked --text 'a b c' --mask "$evil.csv"
tame "a csv that is read as weights" qkv --weights "$evil.csv"
tame "a bad cell" scores --x cell.csv
tame "a bad cell of words" scores --words cell.csv
tame "--save" scores --save "$evil.npz"
tame "--save to a kind nobody knows" scores --save "$evil"
tame "--save of two tensors" scores --save "$evil.csv" --show Q,K
tame "--save of a stack" sdpa --save "$evil.csv"
tame "--save to a missing folder" scores --save "$evil/x.npz"
for option in x q words weights mask; do tame "--$option that is missing" masked --$option "$evil"; done
for option in tutorial show d-model seed init picture on-masked-row lang color width; do
  tame "--$option" masked --$option "$evil"
done
tame "a command" "$evil"
tame "an option" "--$evil"
tame "an option of a lesson" scores "--$evil"
tame "an argument" scores "$evil"
tame "explain: the lesson" explain "$evil" scores 0 0
tame "explain: the tensor" explain scores "$evil" 0 0
tame "explain: the index" explain scores scores "$evil" 0
tame "code" code "$evil"
cp sample.safetensors "$evil.safetensors"
for command in decode cache params; do
  if [[ $command == params ]]; then name=("$evil.safetensors"); else name=(--model "$evil.safetensors"); fi
  tame "$command of a checkpoint" $command "${name[@]}"
  tame "$command of a checkpoint in Chinese" $command "${name[@]}" --lang zh
done
tame "train --resume" train --resume "$evil.safetensors" --steps 4
# The command that a screen ends with is shown without them, and works when it is pasted.
run decode --model "$evil.safetensors" --width 1000 --lang en
pasted=$(sed -nE 's/.*(tfx decode --model .*) --beam.*/\1/p' "$work/out")
check "a command that is shown can be pasted" test "$(eval "${pasted/#tfx/$tfx} --quiet")" = \
  "$("$tfx" decode --model "$evil.safetensors" --quiet)" -a -n "$pasted"

# --- what is longer than the terminal --------------------------------------------------------------------------------

# on_rows ROWS ARGUMENT…: the screen of a terminal with so many rows.
on_rows() {
  local rows=$1
  shift
  timeout "$TEST_SECONDS" script -qec "stty rows $rows cols 80; ${tfx@Q} ${*@Q}" /dev/null </dev/null >"$work/out"
}

if has_terminals; then
  export TFX_PAGER="sed s/^/paged:/"
  on_rows 24 softmax --no-time
  check "a page longer than the terminal is paged" grep -q '^paged:' "$work/out"
  on_rows 24 softmax --no-time --no-pager
  check "not with --no-pager" test "$(grep -c '^paged:' "$work/out")" = 0
  on_rows 200 softmax --no-time
  check "nor what fits" test "$(grep -c '^paged:' "$work/out")" = 0
  TFX_PAGER=no-such-pager on_rows 24 softmax --no-time
  check "without the pager it is written" grep -q 'scores become weights' "$work/out"
  printf 'exit 1\n' >not-executable
  for pager in false 'exit 3' "$PWD/not-executable" "sh -c 'kill -9 \$\$'" 'cat >/dev/null; exit 1' /; do
    TFX_PAGER=$pager on_rows 24 softmax --no-time
    check "a pager that fails, $pager, hides nothing" grep -q 'scores become weights' "$work/out"
  done
  TFX_PAGER='sed s/^/paged:/' on_rows 24 softmax --no-time
  check "one that works shows it once" test "$(grep -c "how does a row of scores become weights" "$work/out")" = 1
  TFX_PAGER='sed s/^/paged:/; sleep 0.7; exit 1' on_rows 24 softmax --no-time
  check "so does one that has been read, whatever it ends with" test "$(grep -c "how does a row of scores become weights" "$work/out")" = 1
  TFX_PAGER='head -n 1' on_rows 24 softmax --full
  check "a pager that ends early harms nobody" test $? = 0
  # What a pager of 24 rows gets is the page as a pipe has it, and its first screen says where to look.
  for lesson in lookup words qkv scores softmax attention sdpa masked multihead cross embed block loss; do
    for language in en zh; do
      look=$([[ $language == zh ]] && echo '^细看 ' || echo '^look ')
      TFX_PAGER='tee paged' on_rows 24 $lesson --no-time --lang $language --color never
      "$tfx" $lesson --no-time --lang $language --width 80 >"$work/piped"
      check "tfx $lesson through a pager on 80 × 24 is the page of a pipe ($language)" cmp -s paged "$work/piped"
      check "its first screen says where to look" grep -q "$look" <(head -n 24 paged)
      rm -f paged
    done
  done
  # A pager is read for longer than a progress line waits.
  mkdir -p state/tfx
  printf 'tfx progress 1\nparams seen\n' >state/tfx/progress
  XDG_STATE_HOME=$PWD/state TFX_PAGER='cat; sleep 3' on_rows 24 next
  check "a walk shows its page in the pager" grep -q 'tfx rope' "$work/out"
  check "and leaves the terminal to it" test "$(grep -c 'tfx next ·' "$work/out")" = 0
  "$tfx" softmax --no-time >"$work/out"
  check "a pipe is not paged" test "$(grep -c '^paged:' "$work/out")" = 0
  unset TFX_PAGER
fi

# --- what takes longer than two seconds ------------------------------------------------------------------------------

# slowly REDIRECTION: a lesson at a terminal whose file comes after three seconds; what the terminal gets is in $work/out.
slowly() {
  rm -f slow.csv && mkfifo slow.csv
  (sleep 3 && printf '1,2\n3,4\n' >slow.csv) &
  TERM=xterm timeout "$TEST_SECONDS" script -qec "${tfx@Q} scores --x slow.csv --no-pager $1" /dev/null </dev/null >"$work/out"
  wait $!
}

if has_terminals; then
  slowly ""
  check "a long command says what it does, and for how long" grep -Eq 'tfx scores · slow\.csv  0:0[2-9]' "$work/out"
  check "on a line that is clear before the screen comes" grep -Eq $'0:0[2-9]\r\e\\[K[^·]*tfx scores' "$work/out"
  slowly "2>messages"
  check "not in a file" test "$(cat "$work/out" messages | grep -c '0:0[2-9]')" = 0
  # Megabytes into a file: nothing stands on the terminal that the line could spoil, and it goes on.
  TERM=xterm script -qec "timeout 4 ${tfx@Q} explain multihead output 0 0 --d-model 256 --heads 4 --n-q 64 --depth 20 --all --json >large.json" \
    /dev/null </dev/null >"$work/out"
  check "an explanation that goes on for long says so beside its file" grep -Eq 'tfx explain · output +0:03' "$work/out"
  rm -f large.json
  TERM=xterm timeout "$TEST_SECONDS" script -qec "${tfx@Q} scores --no-pager" /dev/null </dev/null >"$work/out"
  check "a short command does not" test "$(grep -c $'\e\\[K' "$work/out")" = 0
fi

finish
