# shellcheck shell=bash
# What the scripts of this folder share; they source it and pass their arguments on. Not executable: it is no test.
#   $tfx     the program, whose path is the first argument
#   $work    an empty folder that is removed at the end; scripts run in it
#   TEST_SECONDS   how much processor time a command may take: more with sanitizers
# A test starts as few processes as it can: they are what these scripts cost. So text is compared by bash itself, and no
# command but one at a terminal has a timeout of its own; tools/test ends a script that hangs.
# The environment is the plainest: UTF-8, 80 columns, no colours, nothing learned yet.
set -u
: "${TEST_SECONDS:=180}"
if [[ $# -lt 1 || ! -x $1 ]]; then
  echo "usage: $0 BINARY" >&2
  exit 2
fi
tfx=$(realpath "$1")
ulimit -S -t "$TEST_SECONDS"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/here" # what run leaves stands beside it
cd "$work/here" || exit 1
unset NO_COLOR COLORTERM COLORFGBG LANG LANGUAGE LC_CTYPE LC_MESSAGES
export LC_ALL=C.UTF-8 TERM=dumb COLUMNS=80
export XDG_STATE_HOME=$work/state # no learner's progress
export XDG_CACHE_HOME=/dev/null   # nothing is kept there: compiled headers take 170 MB

failed=0
ok() { echo "ok $1"; }
not_ok() {
  failed=$((failed + 1))
  echo "not ok $1: $2"
}

# english_in FILE: what of Chinese messages is English, "LINE:WORDS": four words in a row that are no quotation, option,
# path or code.
english_in() {
  sed -E "s/\"[^\"]*\"/ · /g; s/“[^”]*”/ · /g; s/'[^']*'/ · /g; s/--?[A-Za-z][A-Za-z0-9_-]*/ · /g; s|[^ ]*[/=._(][^ ]*| · |g" "$1" |
    grep -onE "([A-Za-z]{2,}[,;:]? +){3,}[A-Za-z]{2,}"
}

# run ARGUMENT…: its output, messages and status are left in $work/out, $work/err and $status.
run() {
  "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
  # shellcheck disable=SC2034 # scripts read it
  status=$?
}

# slurp FILE…: what they hold, in $text.
slurp() {
  local part
  text=
  for part; do
    IFS= read -r -d '' part <"$part"
    text+=$part
  done
}

# shows NAME STATUS TEXT ARGUMENT…: one test: the status of tfx ${command[@]} ARGUMENT…, and the text on either channel.
# shows_match NAME STATUS PATTERN ARGUMENT…: the same with an extended regular expression; what is printed is one line to it.
command=()
shows() { seeks text "$@"; }
shows_match() { seeks pattern "$@"; }

# seeks KIND NAME STATUS TEXT ARGUMENT…
seeks() {
  local kind=$1 name=$2 wanted=$3 sought=$4 text words
  shift 4
  run "${command[@]}" "$@"
  slurp "$work/out" "$work/err"
  if [[ $kind == pattern ]]; then
    IFS=$' \n' read -r -d '' -a words <<<"$text"
    text=${words[*]}
  fi
  if ((status != wanted)); then
    not_ok "$name" "status $status: $(first_lines "$work/err")"
  elif [[ ($kind == text && $text != *"$sought"*) || ($kind == pattern && ! $text =~ $sought) ]]; then
    not_ok "$name" "no \"$sought\" in: $(first_lines "$work/out") $(first_lines "$work/err")"
  else
    ok "$name"
  fi
}

# succeeds NAME ARGUMENT…: one test: tfx ARGUMENT… ends with 0.
succeeds() {
  local name=$1
  shift
  run "$@"
  if ((status == 0)); then ok "$name"; else not_ok "$name" "exits with $status: $(grep -E '✗|nobody|FAIL' "$work/out" | head -3)"; fi
}

# too_wide <SCREENS: each line starts with its limit, then a tab; prints the lines that are wider. Columns as a terminal
# counts them: bytes of UTF-8 are taken by their first one, CJK (U+3000 to U+D7FF, U+F900 to U+FFFF) takes two.
too_wide() {
  LC_ALL=C awk -F'\t' '{
    text = substr($0, length($1) + 2)
    gsub(/[\302-\337][\200-\277]|[\340-\342][\200-\277][\200-\277]/, "1", text)
    gsub(/[\343-\355\357][\200-\277][\200-\277]/, "22", text)
    gsub(/\360[\200-\277][\200-\277][\200-\277]/, "22", text)
    if (length(text) > $1) print $0
  }'
}

# put_name ARGUMENT…: the command line as a learner would type it, on one line, in $name. name_of prints it.
put_name() {
  local argument
  name=tfx
  for argument in "$@"; do
    if [[ $argument =~ ^[-A-Za-z0-9_.,:=/]+$ ]]; then name+=" $argument"; else name+=" ${argument@Q}"; fi
  done
}
name_of() {
  local name
  put_name "$@"
  echo "$name"
}

# first_lines FILE: enough of it for a "not ok" line.
first_lines() { head -c 300 "$1" | tr '\n' ' ' | LC_ALL=C tr -c '[:print:]' '?'; }

# check NAME COMMAND…: one test.
check() {
  local name=$1
  shift
  if "$@"; then ok "$name"; else not_ok "$name" "$*"; fi
}

# balanced: whether brackets and quotes of stdin close, nothing follows the document, and no number is bare "nan".
balanced() {
  LC_ALL=C awk '
    { text = text $0 "\n" }
    END {
      gsub(/\\./, "", text)         # escapes
      gsub(/"[^"]*"/, "s", text)    # strings
      if (text !~ /^\{/ || text ~ /"/ || text ~ /[Nn]a[Nn]|[Ii]nf/) exit 1
      n = length(text)
      for (i = 1; i <= n; i++) {
        c = substr(text, i, 1)
        if (c == "{" || c == "[") stack[++depth] = c
        if (c == "}" && stack[depth--] != "{") exit 1
        if (c == "]" && stack[depth--] != "[") exit 1
        if (depth == 0) break
      }
      if (depth != 0 || substr(text, i + 1) !~ /^[\n]*$/) exit 1
    }'
}

# train_llama: $work/llama.safetensors, a llama-micro of a few steps. What it has learned does not matter.
train_llama() {
  cut -f1 "$root/data/sentences/en-zh.tsv" >"$work/text"
  run train --corpus "$work/text" --documents line --preset llama-micro --layers 2 --steps 3 --out "$work/llama.safetensors" --no-time
  check "a llama-micro is trained" test $status = 0
}

# has_terminals: whether this machine can make a pseudo-terminal; a bare chroot has none, and then says so as a test.
has_terminals() {
  script -qec true /dev/null </dev/null >/dev/null 2>&1 && return
  ok "what happens at a terminal is left out: no pseudo-terminal can be made here"
  return 1
}

finish() { exit $((failed > 0)); }
