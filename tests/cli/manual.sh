#!/usr/bin/env bash
# The man page, which tfx writes from its own commands, and the completions of bash and zsh, which ask it: they know every
# command and option, and the shells offer what fits.
#   tests/cli/manual.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# --- the man page ----------------------------------------------------------------------------------------------------

# commands_of_help: the commands that tfx --help lists.
commands_of_help() { "$tfx" --help --lang en | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'; }

# options_of_help COMMAND…: the long options of its help.
options_of_help() { "$tfx" "$@" --help --lang en | grep -oE '^  (-h,)?--[a-z0-9-]+' | grep -oE -- '--[a-z0-9-]+'; }

# section PAGE NAME: what stands under a heading, or a subheading.
section() {
  awk -v name="$2" '/^\.S[HS] / { title = substr($0, 5); gsub(/\\f[A-Z]|\\/, "", title); inside = title == name || index(title, name " ") == 1; next }
    inside { gsub(/\\-/, "-"); print }' "$1"
}

known=$(commands_of_help)
check "tfx --help lists commands" test "$(wc -w <<<"$known")" -ge 20
for language in en zh; do
  page=$work/tfx.$language.1
  "$tfx" --lang $language manual >"$work/roff"
  sed 's/\\://g' "$work/roff" >"$page" # where a Chinese line may break
  if [[ $language == en ]]; then input="INPUT OPTIONS" output="OUTPUT OPTIONS"; else input=输入选项 output=输出选项; fi
  section "$page" "$input" >"$work/input"
  section "$page" "$output" >"$work/output"
  missing=
  while read -r command; do
    section "$page" "tfx $command" >"$work/section"
    if [[ ! -s $work/section ]]; then missing+=" $command"; fi
    if grep -q "$input" "$work/section"; then cat "$work/input" >>"$work/section"; fi
    if grep -q "$output" "$work/section"; then cat "$work/output" >>"$work/section"; fi
    slurp "$work/section"
    for option in $(options_of_help "$command"); do
      if [[ $option != --help && $'\n'$text != *$'\n\\fB'"$option\fR"* ]]; then missing+=" $command:$option"; fi
    done
  done <<<"$known"
  for option in $(options_of_help); do
    grep -q -- "\\\\fB${option//-/\\\\-}\\\\fR" "$page" || missing+=" $option"
  done
  if [[ $missing ]]; then not_ok "the $language man page is complete" "it lacks$missing"; else ok "the $language man page is complete"; fi
  if command -v man >/dev/null; then
    man --warnings -E UTF-8 -l -Tutf8 -Z "$work/roff" 2>&1 >/dev/null </dev/null | grep -v "can't set the locale" >"$work/warnings"
    if [[ -s $work/warnings ]]; then not_ok "roff takes the $language man page" "$(first_lines "$work/warnings")"; else ok "roff takes the $language man page"; fi
  fi
done
check "the Chinese man page is in Chinese" grep -q '^在终端里学会 Transformer' "$work/tfx.zh.1"
run manual html
check "there is no other manual" test "$status" = 2

# --- bash ------------------------------------------------------------------------------------------------------------

completion=${self%/tests/*}/tools/completion
touch words.csv pairs.tsv "with blank.npy"
mkdir folder

# offered WORD…: what bash offers for the last word of "tfx WORD…", sorted, on one line. COMP_WORDS is cut at : and = as
# readline does it.
offered() {
  bash -c '
    source "$1" || exit
    program=$2
    shift 2
    COMP_LINE="tfx $*" COMP_POINT=${#COMP_LINE} COMP_WORDS=(tfx)
    for word; do
      while [[ $word == *[:=]* ]]; do
        before=${word%%[:=]*}
        rest=${word#"$before"}
        [[ $before ]] && COMP_WORDS+=("$before")
        COMP_WORDS+=("${rest:0:1}")
        word=${rest:1}
        [[ $word ]] || continue 2
      done
      COMP_WORDS+=("$word")
    done
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    _tfx "$program"
    printf "%s\n" "${COMPREPLY[@]}" | sort | paste -sd " "' bash "$completion/tfx.bash" "$tfx" "$@"
}

# offers EXPECTED WORD…
offers() {
  local expected=$1 got name
  shift
  name="bash: tfx $*"
  got=$(offered "$@")
  if [[ $got == "$expected" ]]; then ok "$name"; else not_ok "$name" "it offers \"$got\", not \"$expected\""; fi
}

# offers_all EXPECTED… -- WORD…: all of them, beside others.
offers_all() {
  local got expected=() name missing=
  while [[ $1 != -- ]]; do expected+=("$1") && shift; done
  shift
  name="bash: tfx $* has ${expected[*]}"
  got=" $(offered "$@") "
  for one in "${expected[@]}"; do [[ $got == *" $one "* ]] || missing+=" $one"; done
  if [[ $missing ]]; then not_ok "$name" "it lacks$missing"; else ok "$name"; fi
}

check "the completion loads alone" bash -c 'source "$1" && complete -p tfx >/dev/null' bash "$completion/tfx.bash"
# shellcheck disable=SC2086 # the commands are words
offers_all $known -- ''
offers 'score scores' 'sco'
offers_all --lang --tutorial --causal --save -- softmax --
offers '--tutorial' scores --tu
offers '--threads' --th
offers 'en zh' --lang ''
offers 'en zh' --lang=
offers 'zh' --lang=z
offers 'zh' softmax --causal --lang z
offers 'attention-block attention-block:1 attention-block:2' scores --tutorial att # what fits the lesson
offers 'attention-block attention-block:1 attention-block:2 attention-block:3 attention-block:4' explain --tutorial att
offers '1 2 3 4' explain --tutorial attention-block:
offers '--help' scores --hel
offers '' scores -- --
offers '' inspect with.npy nam
offers 'randint' qkv --init ra
offers 'he xavier xavier-uniform' model --init ''
offers 'annotated base copy-task small tiny toy' model --preset ''
offers 'base gpt-micro llama-micro microgpt small tiny' train --preset ''
offers 'copy numbers-zh reverse' train --task ''
offers 'words.csv' words --words wor
offers 'with blank.npy' qkv --x with
offers 'folder pairs.tsv with blank.npy words.csv' train --pairs ''
offers 'numbers-zh' decode --model num
offers 'numbers-zh' score --model num
offers 'decode encode step train' bpe ''
offers 'words.csv' decode --model wor
offers 'gpt2 gpt2-large gpt2-medium gpt2-xl' params --seq 9 gpt
offers 'gpt2-xl' params gpt2 gpt2-x
offers 'attention decode ladder lesson model train' bench ''
offers 'folder' bench --worker --inputs ''
offers 'model modern' explain mod
offers 'scores' code scor
offers 'model modern' code mod
offers '' explain scores --text ''
offers 'softmax.no_scale' break softmax --with softmax.no_s
offers 'words.csv' check scores wor
offers '' check scores words.csv --tensor ''
offers 'words.csv' diff pairs.tsv wor
offers 'fun-transformer' errata fun
offers 'train' reset tra
offers 'params' quiz par
offers '--src --src-vocab' explain model --src
offers '--text' explain scores scores 0 --tex
offers '' scores --text 'the cat' --d-model ''
offers_all --causal --json -- softmax ''

# every option and fixed word that the shells offer is taken by the program
refused=
for command in $known; do
  "$tfx" "$command" --help --lang en >"$work/help"
  "$tfx" --help --lang en >>"$work/help"
  slurp "$work/help"
  for option in $(offered "$command" --); do
    [[ $text == *"$option"* ]] || refused+=" $command:$option"
  done
done
if [[ $refused ]]; then not_ok "bash offers what there is" "$refused"; else ok "bash offers what there is"; fi

# --- zsh -------------------------------------------------------------------------------------------------------------

if command -v zsh >/dev/null; then

  # shown LOCALE LINE: the screen of an interactive zsh after LINE and TAB, without control sequences.
  shown() {
    zsh -f -c '
      zmodload zsh/zpty
      zpty shell "PATH=$4:\$PATH LC_ALL=$1 TERM=dumb COLUMNS=200 LINES=1000 zsh -f -i"
      zpty -w shell "fpath=($2 \$fpath); autoload -U compinit; compinit -u -D; PS1=; zstyle \":completion:*\" verbose yes; LISTMAX=10000; echo be\"\"gin"
      zpty -r shell out "*begin*"
      zpty -w -n shell "$3"$'"'\\t\\t'"'
      sleep 1
      zpty -w -n shell $'"'\\C-u'"'
      zpty -w shell "echo do\"\"ne; exit"
      while zpty -r shell line; do print -r -- "$line"; done' zsh "$1" "$completion" "$2" "${tfx%/*}" </dev/null 2>&1 |
      sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g; s/\r//g'
  }

  # zsh_shows LOCALE LINE PART…
  zsh_shows() {
    local locale=$1 line=$2 part got missing=
    shift 2
    got=$(shown "$locale" "$line")
    for part; do [[ $got == *"$part"* ]] || missing+=" \"$part\""; done
    if [[ $missing ]]; then not_ok "zsh: $line" "it lacks$missing: $(tr '\n' ' ' <<<"$got" | head -c 300)"; else ok "zsh: $line"; fi
  }
  check "zsh takes the completion" zsh -n "$completion/_tfx"
  zsh_shows C.UTF-8 'tfx ' 'every query meets every key' 'the map of the course'
  zsh_shows C.UTF-8 'tfx --lang ' 'en' 'zh'
  zsh_shows C.UTF-8 'tfx scores --t' '--text' '--tutorial' 'your own text'
  zsh_shows C.UTF-8 'tfx train --task ' copy numbers-zh reverse
  zsh_shows C.UTF-8 'tfx explain ' lookup model scores
  zsh_shows C.UTF-8 'tfx explain model --s' --src-vocab 'token ids of the source'
  zsh_shows C.UTF-8 'tfx params ' gpt2-xl words.csv
fi

finish
