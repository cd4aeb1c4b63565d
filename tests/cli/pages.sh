#!/usr/bin/env bash
# Every command that has a screen saves it as a page, in both languages.
#   tests/cli/pages.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
# shellcheck source-path=SCRIPTDIR source=samples.sh
source "${self%/*}/samples.sh"

# Those that have none: what goes on with other commands, forgets, or is a document itself.
without=" next reset report help "

cd "$work" || exit 1
make_samples
sampled_commands
for command in "${commands[@]}"; do
  name=${command%% *}
  if [[ $without == *" $name "* ]]; then
    check "tfx $name saves no page" test -z "$(options_of "$name" | grep -e '^--save ')"
    continue
  fi
  if [[ $name == grade ]]; then # a class makes a table
    "$tfx" exercise scores >/dev/null
    command="grade scores.py"
  fi
  read -ra words <<<"$command"
  run "${words[@]}" --lang en
  wanted=$status
  run "${words[@]}" --save page.html --lang en
  check "tfx $command saves a page" test "$status" = "$wanted" -a -s page.html
  check "tfx $command: its title in both languages" grep -Eq '<h2><span lang="en">[^<]+</span><span lang="zh">[^<]+' page.html
  run "${words[@]}" --save page.npy --lang en
  check "tfx $command: no page of another kind" test "$status" = 2
  rm -f page.html scores.py
done
finish
