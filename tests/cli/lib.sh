# shellcheck shell=bash
# What the scripts of this folder share; they source it and pass their arguments on. Not executable: it is no test.
#   $tfx     the program, whose path is the first argument
#   $work    an empty folder that is removed at the end; scripts run in it
#   TEST_SECONDS   how long a command may take: more with sanitizers
# The environment is the plainest: UTF-8, 80 columns, no colours, nothing learned yet.
set -u
: "${TEST_SECONDS:=180}"
if [[ $# -lt 1 || ! -x $1 ]]; then
  echo "usage: $0 BINARY" >&2
  exit 2
fi
tfx=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/here" # what run leaves stands beside it
cd "$work/here" || exit 1
unset NO_COLOR COLORTERM COLORFGBG LANG LANGUAGE LC_CTYPE LC_MESSAGES
export LC_ALL=C.UTF-8 TERM=dumb COLUMNS=80
export XDG_STATE_HOME=$work/state # no learner's progress

failed=0
ok() { echo "ok $1"; }
not_ok() {
  failed=$((failed + 1))
  echo "not ok $1: $2"
}

# english_in FILE: what of a Chinese message is English: four words in a row that are no quotation, option, path or code.
english_in() {
  sed -E "s/\"[^\"]*\"/ · /g; s/“[^”]*”/ · /g; s/'[^']*'/ · /g; s/--?[A-Za-z][A-Za-z0-9_-]*/ · /g; s|[^ ]*[/=._(][^ ]*| · |g" "$1" |
    grep -oE "([A-Za-z]{2,}[,;:]? +){3,}[A-Za-z]{2,}"
}

# run ARGUMENT…: its output, messages and status are left in $work/out, $work/err and $status.
run() {
  timeout "$TEST_SECONDS" "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
  # shellcheck disable=SC2034 # scripts read it
  status=$?
}

# shows NAME STATUS TEXT ARGUMENT…: one test: the status of tfx ${command[@]} ARGUMENT…, and the text on either channel.
# shows_match NAME STATUS PATTERN ARGUMENT…: the same with an extended regular expression; what is printed is one line to it.
command=()
shows() { seeks -F cat "$@"; }
shows_match() { seeks -E "tr -s \\040\\n \\040" "$@"; }

# seeks KIND FILTER NAME STATUS TEXT ARGUMENT…: KIND is an option of grep, FILTER what the output goes through before.
seeks() {
  local kind=$1 filter=$2 name=$3 wanted=$4 text=$5
  shift 5
  run "${command[@]}" "$@"
  if ((status != wanted)); then
    not_ok "$name" "status $status: $(first_lines "$work/err")"
  # shellcheck disable=SC2086 # the filter is words
  elif ! cat "$work/out" "$work/err" | $filter | grep -q "$kind" -- "$text"; then
    not_ok "$name" "no \"$text\" in: $(first_lines "$work/out") $(first_lines "$work/err")"
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

# name_of ARGUMENT…: the command line as a learner would type it, on one line.
name_of() {
  local argument name=tfx
  for argument in "$@"; do
    if [[ $argument =~ ^[-A-Za-z0-9_.,:=/]+$ ]]; then name+=" $argument"; else name+=" ${argument@Q}"; fi
  done
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

# has_terminals: whether this machine can make a pseudo-terminal; a bare chroot has none, and then says so as a test.
has_terminals() {
  script -qec true /dev/null </dev/null >/dev/null 2>&1 && return
  ok "what happens at a terminal is left out: no pseudo-terminal can be made here"
  return 1
}

finish() { exit $((failed > 0)); }
