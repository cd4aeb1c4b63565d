# shellcheck shell=bash
# What the long gates share; they source it as those of tests/cli source theirs. Not executable: it is no test.
# A line "count WHAT NUMBER" says how much a gate has done; docs/reliability.md lists them.
folder=$(dirname "$(readlink -f -- "${BASH_SOURCE[0]}")")
# shellcheck source-path=SCRIPTDIR/../cli source=lib.sh
source "$folder/../cli/lib.sh"
# shellcheck source-path=SCRIPTDIR/../cli source=samples.sh
source "$folder/../cli/samples.sh"

count() { echo "count $*"; }

# needs PROGRAM: says which one is missing, as a failure: tools/packages.txt names its package.
needs() {
  command -v "$1" >/dev/null || { not_ok "$1" "it is not installed"; finish; }
}
