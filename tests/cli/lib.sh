# shellcheck shell=bash
# What the scripts of this folder share; they source it and pass their arguments on. Not executable: it is no test.
#   $tfx     the program, whose path is the first argument
#   $work    an empty folder that is removed at the end; scripts run in it
# The environment is the plainest: UTF-8, 80 columns, no colours.
set -u
if [[ $# -lt 1 || ! -x $1 ]]; then
  echo "usage: $0 BINARY" >&2
  exit 2
fi
tfx=$(realpath "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/here" # what run leaves stands beside it
cd "$work/here" || exit 1
unset NO_COLOR COLORTERM LANG LANGUAGE LC_CTYPE LC_MESSAGES
export LC_ALL=C.UTF-8 TERM=dumb COLUMNS=80

failed=0
ok() { echo "ok $1"; }
not_ok() {
  failed=$((failed + 1))
  echo "not ok $1: $2"
}

# run ARGUMENT…: its output, messages and status are left in $work/out, $work/err and $status.
run() {
  timeout 30 "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
  # shellcheck disable=SC2034 # scripts read it
  status=$?
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

finish() { exit $((failed > 0)); }
