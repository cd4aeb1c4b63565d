# shellcheck shell=bash
# Arguments that let each command run in a moment, for the scripts that walk through all commands. Sourced after
# lib.sh; not executable: it is no test.

little=(--d-model 8 --d-ff 8 --heads 2 --layers 1)

# make_samples: the files that sample_of's arguments name, in the folder where it is called.
make_samples() {
  "$tfx" train "${little[@]}" --batch 2 --held-out 2 --threads 1 --steps 2 --quiet --out sample.safetensors >/dev/null
  "$tfx" scores --quiet --save sample.npz >/dev/null
  "$tfx" scores --quiet --save sample.csv >/dev/null
  echo "sample,1" >roster.csv
  echo "the cat and the hat" >sample.txt
  "$tfx" train --corpus sample.txt "${little[@]}" --context 8 --batch 2 --threads 1 --steps 2 --quiet --out writer.safetensors >/dev/null
  printf '1 2\t1 2\n' >sample.tsv
}

# commands_of_help: every command that tfx --help names.
commands_of_help() {
  COLUMNS=200 "$tfx" --help --lang en | sed -nE '/^Commands:/,/^$/s/^  ([a-z]+) .*/\1/p'
}

# options_of COMMAND: every option of its help, with the name of its value: "--d-model N", "--quiet".
options_of() {
  COLUMNS=500 "$tfx" "$1" --help --lang en | sed -nE 's/^  (-h,)?(--[a-z0-9-]+)( ([^ ]+))?( .*)?$/\2 \4/p' |
    sed -E 's/ Excludes:.*//; s/ +$//' | grep -v '^--help'
}

# sample_of COMMAND: its arguments, as words without blanks in them; fails for a command that it does not know.
sample_of() {
  case $1 in
    lookup | words | qkv | scores | softmax | attention | sdpa | masked | multihead | cross | embed | block | loss | gpt | rope | modern | induction | lens) ;;
    model) echo "${little[*]} --vocab 11 --src 1,2,3 --tgt 1,2" ;;
    train) echo "${little[*]} --batch 2 --held-out 2 --steps 2 --threads 1 --quiet" ;;
    decode) echo "--model sample.safetensors --quiet" ;;
    generate) echo "--model writer.safetensors --max-tokens 3" ;;
    bpe) echo "train sample.txt --merges 2" ;;
    score) echo "--model sample.safetensors --pairs sample.tsv --draws 9" ;;
    cache | params | doctor | list | map | terms | tutorial | tour | next | hint | reset | errata) ;;
    bench) echo "attention --seq 8 --d-model 8 --heads 2 --batch 1 --repeat 1 --warmup 0 --threads 1" ;;
    explain) echo "masked weights 1 3" ;;
    code | break | quiz | inputs) echo "scores" ;;
    check) echo "scores sample.csv" ;;
    exercise) ;;
    grade) echo "scores --class . --roster roster.csv --out grades.csv" ;;
    diff) echo "sample.npz sample.npz" ;;
    inspect) echo "sample.npz" ;;
    report) echo "report.html --steps 5" ;;
    verify) ;;
    *) return 1 ;;
  esac
}

# sampled_commands: every command of tfx --help with arguments that let it run in a moment, in the array commands.
sampled_commands() {
  local command arguments
  commands=()
  for command in $(commands_of_help); do
    if arguments=$(sample_of "$command"); then
      commands+=("$command${arguments:+ $arguments}")
    else
      not_ok "tfx $command" "tests/cli/samples.sh has no arguments for it"
    fi
  done
}

# Escape sequences, a bell, DEL, a C1 control (one byte of it is a sequence of its own), and what turns text around.
evil=$'\e[31mred\e]0;title\a\x7f\xc2\x9b2J\xe2\x80\xaeback\xe2\x81\xa6\xe2\x80\xa8\xe2\x80\x8f\xd8\x9c'

# untamed: the first line of $work/out and $work/err with any of that or another control character but newlines, made
# visible; false where there is none.
untamed() {
  LC_ALL=C grep -haPm 1 '[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]|\xe2\x81[\xa6-\xa9]|\xd8\x9c' \
    "$work/err" "$work/out" | cat -v
  return "${PIPESTATUS[0]}"
}

is_tame() { ! untamed >/dev/null; }
