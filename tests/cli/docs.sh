#!/usr/bin/env bash
# Runs every tfx command that the documentation shows, in the order in which it shows them.
#
#   tests/cli/docs.sh BINARY [FILE.md …]        without files: README.md and docs/*.md, but docs/json.md, whose commands
#                                               tests/cli/json_fields.sh runs
#
# What counts as a command:
#   ```sh        a line that starts with tfx or tools/tfx, or that printf pipes into it; it must exit with 0, or with N
#                after "# exits N"
#   ```console   a line "$ tfx …"; what stands below it is its whole output (stderr, stdout), "…" stands for any lines
#   `tfx …`      in running text and tables, unless it holds a placeholder: a word in capitals, or "…";
#                `tfx NAME` alone names a command, which tfx --help must list
# Every document is one session in an empty folder. The files its commands read come from earlier commands, or from
#   ```csv NAME  the content of the file NAME (```json NAME, … likewise)
#   ```python    np.save("NAME", np.random.randn(R, C)) makes an array of that shape, np.savez("NAME", W_Q=…(N, …))
#                weights of that width: in place of NumPy, a few bytes written here, and tfx itself
# Prints "ok NAME" or "not ok NAME: why" for each command; exits with 1 if one failed.

set -u
shopt -s extglob
if [[ $# -lt 1 || ! -x $1 ]]; then
  echo "usage: tests/cli/docs.sh BINARY [FILE.md …]" >&2
  exit 2
fi
binary=$(realpath "$1")
root=$(realpath "$(dirname "$0")/../..")
shift
if [[ $# -gt 0 ]]; then documents=("$@"); else documents=("$root"/README.md "$root"/docs/!(json).md); fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$binary" "$work/bin/tfx"
export PATH="$work/bin:$PATH" LC_ALL=C.UTF-8 TERM=dumb XDG_STATE_HOME="$work/state"
unset COLUMNS NO_COLOR LANG LC_MESSAGES

declare -A has_run
failed=0 ran=0
ok() { echo "ok $1"; }
not_ok() { failed=$((failed + 1)); echo "not ok $1: $2"; }

# npy NAME R,C,…: an array of small whole numbers (int8), as np.save writes it.
npy() {
  local count=1 extent header shape=${2//,/, }
  for extent in ${2//,/ }; do count=$((count * extent)); done
  [[ $2 == *,* ]] || shape+=,
  header="{'descr': '|i1', 'fortran_order': False, 'shape': ($shape), }"
  printf -v header '%-117s' "$header"
  { printf '\x93NUMPY\x01\x00\x76\x00%s\n' "$header"
    for ((i = 0; i < count; i++)); do printf '%b' "\\x0$(((i * i + i / 3) % 4))"; done; } > "$1"
}

# The files that a line of Python would have written.
stand_in_for_python() {
  if [[ $1 =~ np\.save\(\"([^\"]+)\",\ np\.random\.randn\(([0-9, ]+)\)\) ]]; then
    npy "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]// /}"
  elif [[ $1 =~ np\.savez\(\"([^\"]+)\",\ W_Q=[^\(]*\(([0-9]+), ]]; then
    tfx multihead --d-model "${BASH_REMATCH[2]}" --quiet --save "${BASH_REMATCH[1]}" > /dev/null
  fi
}

# run NAME COMMAND: leaves what it printed in $work/output and $work/errors.
run() {
  local name=$1 command=$2 expected=0 status
  [[ $command =~ \#\ exits\ ([0-9]+) ]] && expected=${BASH_REMATCH[1]}
  ran=$((ran + 1))
  timeout 180 bash -o pipefail -c "$command" > "$work/output" 2> "$work/errors" < /dev/null
  status=$?
  [[ $status -eq $expected ]] && return 0
  not_ok "$name" "exits with $status, not $expected: $(head -c 300 "$work/errors" | tr '\n' ' ')"
  return 1
}

# run_once NAME COMMAND: the same, if no page has shown the command before: a page's twin shows all of them again. One that
# makes a file, which others read, runs each time.
run_once() {
  local plain=${2%%  *#*}
  if [[ ! ${has_run[$plain]-} || $plain =~ --(save|out|log|weights-out|class)|'>'|report ]]; then
    run "$1" "$2" && has_run[$plain]=yes
  fi
}

# same_lines EXPECTED ACTUAL: whether the lines agree, "…" taking any number of them.
same_lines() {
  awk 'function matches(i, j) {
         if (i > n) return j > m
         if (wanted[i] == "…") return matches(i + 1, j) || (j <= m && matches(i, j + 1))
         return j <= m && wanted[i] == got[j] && matches(i + 1, j + 1)
       }
       { sub(/[ \t]+$/, "") }
       FNR == NR { wanted[++n] = $0; next }
       { got[++m] = $0 }
       END { exit !matches(1, 1) }' "$1" "$2"
}

# finish_screen NAME: the command of a ```console block, once all of its expected output is read.
finish_screen() {
  [[ -n $screen_command ]] || return 0
  if run "$1" "$screen_command"; then
    cat "$work/errors" "$work/output" > "$work/screen"
    if same_lines "$work/expected" "$work/screen"; then ok "$1"
    else not_ok "$1" "prints something else:"; diff "$work/expected" "$work/screen" | sed 's/^/  /'; fi
  fi
  screen_command=
}

is_command() { [[ $1 =~ ^(printf\ [^|]*\|\ )?(tools/)?tfx($|[[:space:]]) ]]; }

# code_of FILE.md: what its blocks hold, without comments; those that say how a command exits stay. Blocks of words (md) are
# each language's own.
code_of() { awk '/^```/ { inside = !inside; words = inside && /md$/; print; next } inside && !words { if ($0 !~ /# exits/) sub(/ +#.*/, ""); sub(/.*# exits/, "&"); print }' "$1"; }

check_document() {
  local document=$1 line number=0 indent='' block='' file='' screen_command='' screen_name='' name span rest
  # shellcheck disable=SC2016
  local fence='^([[:space:]]*)```([a-z]*)[[:space:]]*([^[:space:]]*)' spans='`(tfx [^`]+)`(.*)'
  name=${document#"$root"/}
  while IFS= read -r line || [[ -n $line ]]; do
    number=$((number + 1))
    line=${line#"$indent"}
    if [[ $line =~ $fence ]]; then
      if [[ -z $block ]]; then
        indent=${BASH_REMATCH[1]} block=${BASH_REMATCH[2]:-text} file=${BASH_REMATCH[3]}
        [[ -n $file ]] && : > "$file"
      else
        finish_screen "$screen_name"
        indent='' block='' file=''
      fi
    elif [[ -n $file ]]; then
      printf '%s\n' "$line" >> "$file"
    elif [[ $block == python ]]; then
      stand_in_for_python "$line"
    elif [[ $block == sh ]]; then
      if is_command "$line"; then run_once "$name:$number $line" "$line" && ok "$name:$number $line"; fi
    elif [[ $block == console ]]; then
      if [[ $line == '$ '* ]]; then
        finish_screen "$screen_name"
        : > "$work/expected"
        if is_command "${line#'$ '}"; then screen_command=${line#'$ '} screen_name="$name:$number $screen_command"; fi
      else
        printf '%s\n' "$line" >> "$work/expected"
      fi
    elif [[ -z $block ]]; then
      rest=$line
      while [[ $rest =~ $spans ]]; do
        span=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
        span=${span//\\|/|}
        if [[ $span =~ ^tfx\ ([a-z]+)$ ]]; then
          run "$name:$number $span" "tfx --help | grep -q '^  ${BASH_REMATCH[1]} '" && ok "$name:$number $span"
        elif [[ ! $span =~ (^|[[:space:]=])[A-Z_]{2,}([[:space:].]|$) && $span != *…* ]]; then
          run_once "$name:$number $span" "$span" && ok "$name:$number $span"
        fi
      done
    fi
  done < "$document"
  [[ -z $block ]] || not_ok "$name" "the block that starts with \`\`\`$block is never closed"
}

for document in "${documents[@]}"; do
  document=$(realpath "$document")
  folder=$(mktemp -d -p "$work")
  mkdir "$folder/tools"
  ln -s "$binary" "$folder/tools/tfx"
  cd "$folder" || exit 1
  check_document "$document"
done
# Who opens the repository sees it all on a few screens: the rest stands in docs.
for document in "${documents[@]}"; do
  [[ $document != */README*.md ]] && continue
  if [[ $(wc -l <"$document") -le 120 ]]; then ok "${document##*/} has no more than 120 lines"
  else not_ok "${document##*/}" "more than 120 lines"; fi
done
# A page and its Chinese twin show the same commands.
for document in "${documents[@]}"; do
  twin=${document%.md}.zh.md
  if [[ -f $twin && $document != */README.md ]]; then
    if diff <(code_of "$document") <(code_of "$twin") > "$work/twins"; then ok "${twin#"$root"/} shows the commands of ${document##*/}"
    else not_ok "${twin#"$root"/}" "other commands than in ${document##*/}: $(head -n 4 "$work/twins" | tr '\n' ' ')"; fi
  fi
done
[[ $ran -gt 0 ]] || not_ok documents "no command was found"
echo "$ran commands, $failed failed"
[[ $failed -eq 0 ]]
