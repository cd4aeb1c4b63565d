#!/usr/bin/env bash
# Random combinations of the options of every command that trains, times, counts, decodes or writes a report: each ends
# with a status that the documentation has, and a refusal says what it refuses. The options and the kinds of their values
# are read from the help, so a new one is tried without a word. (Those of the lessons: tests/cli/option_combinations_test.cpp.)
#   tests/extended/combinations.sh BINARY [COUNT [SEED]]
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
make_samples
printf 'a b\tb a\nc\tc\na c\tc a\nb b b\tb b b\n' >sample.tsv
cp sample.csv pairs.csv
combinations=${2:-600}
RANDOM=${3:-1}

# What bounds the work stands in every command line; a combination may give it another small value.
declare -A base=(
  [train]="${little[*]} --batch 2 --held-out 2 --steps 2 --threads 1"
  [model]="${little[*]} --vocab 11 --src 1,2,3 --tgt 1,2"
  [report]="report.html --steps 1 --threads 1"
  [decode]="--model sample.safetensors --threads 1"
  [bench]="attention --seq 8 --d-model 8 --heads 2 --batch 1 --repeat 1 --warmup 0 --threads 1"
  [params]="" [cache]=""
)

# one_of WORD…: one of them, in $chosen.
one_of() {
  local words=("$@")
  chosen=${words[RANDOM % ${#words[@]}]}
}

# value_of OPTION TYPE: a value that the type allows, most of the time; in $chosen.
value_of() {
  case $2 in
    N) one_of 1 2 2 3 4 4 8 8 0 11 1000000000 18446744073709551616 ;;
    FILE*)
      case $1 in
        --save | --out | --weights-out | --log | --save-weights)
          one_of out.npz out.safetensors out.csv out.json out.html missing/x.npz sample.safetensors ;;
        --pairs | --file) one_of sample.tsv pairs.csv sample.npz missing.tsv ;;
        *) one_of sample.npz sample.csv sample.safetensors missing.npz out.safetensors ;;
      esac
      if [[ $2 == *"|"* ]] && ((RANDOM % 2)); then one_of reverse copy; fi
      ;;
    *"|"*)
      local choices
      IFS='|' read -ra choices <<<"$2"
      one_of "${choices[@]}"
      ;;
    IDS*) one_of 1 1,2 1,2,3 "1,2;2,1" "0" "2,3" 40 ;;
    TEXT) one_of "a b" "1 2 3" "" "你好" "a" ;;
    DIR) one_of . missing ;;
    NAME*) one_of Q logits nothing tiny ;;
    *) one_of 0 0.1 0.5 0.9 1 2 1e-3 1e9 nan ;;
  esac
}

commands=("${!base[@]}")
mapfile -t commands < <(printf '%s\n' "${commands[@]}" | sort)
declare -A offered
for command in "${commands[@]}"; do
  # --worker serves until its input ends, a ladder and a preset take longer than a moment.
  offered[$command]=$(options_of "$command" | grep -vE '^--(worker|inputs|outputs|preset|ladder|lang|min-seconds) ')
done

tried=0 done_well=0 before=$failed
while ((tried < combinations)); do
  one_of "${commands[@]}"
  command=$chosen
  read -ra arguments <<<"${base[$command]}"
  mapfile -t options <<<"${offered[$command]}"
  given=" "
  for ((i = RANDOM % 5 + 1; i > 0; i--)); do
    one_of "${options[@]}"
    read -r option type <<<"$chosen"
    if [[ $given == *" $option "* ]]; then continue; fi
    given+="$option "
    others=()
    for ((j = 0; j < ${#arguments[@]}; j++)); do
      if [[ ${arguments[j]} == "$option" ]]; then ((j++)); else others+=("${arguments[j]}"); fi
    done
    arguments=("${others[@]}" "$option")
    if [[ -n $type ]]; then
      value_of "$option" "$type"
      case $option in # a number of these is work, not a size: the estimate does not bound it
        --steps | --repeat | --warmup | --accumulate | --length | --max-len | --max-length | --beam | --layers | --measure-every) one_of 1 2 3 0 ;;
        --threads) one_of 1 2 0 ;;
      esac
      arguments+=("$chosen")
    fi
  done
  tried=$((tried + 1))
  TEST_SECONDS=60 run --lang en "$command" "${arguments[@]}"
  name=$(name_of "$command" "${arguments[@]}")
  case $status in
    0 | 1)
      done_well=$((done_well + 1))
      if [[ ! -s $work/out && $given != *" --quiet "* ]] && [[ $command != report && $command != train ]]; then
        not_ok "$name" "nothing is printed"
      fi
      ;;
    2 | 65 | 66 | 71 | 73 | 74)
      if [[ $(<"$work/err") != *"tfx: "* ]]; then not_ok "$name" "status $status without a message"; fi
      if [[ -s $work/out && $command != train ]]; then not_ok "$name" "a refusal with a screen"; fi
      if ((status == 71)) && ! grep -Eq '(needs|a count of) about' "$work/err"; then
        not_ok "$name" "memory ran out, and no estimate said so: $(first_lines "$work/err")"
      fi
      ;;
    *) not_ok "$name" "status $status: $(first_lines "$work/err")" ;;
  esac
  if grep -q 'internal error' "$work/err"; then not_ok "$name" "$(first_lines "$work/err")"; fi
  if [[ ! -s sample.safetensors || ! -s sample.npz ]]; then make_samples; fi
done
check "combinations of the options of ${#commands[@]} commands: $tried, of which $done_well run" \
  test "$failed" = "$before" -a $tried -ge 500 -a $done_well -gt $((tried / 10))
count "combinations of the options of commands that train, time or report" $tried

finish
