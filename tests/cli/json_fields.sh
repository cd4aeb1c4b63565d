#!/usr/bin/env bash
# docs/json.md names every member of the JSON of every command, with its type: its commands are run, and each of its tables has
# the members that they print, no more and no fewer.
#   tests/cli/json_fields.sh BINARY             the test
#   tests/cli/json_fields.sh BINARY --tables    the page with its tables made anew; a member without a meaning has "?"
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
# shellcheck source-path=SCRIPTDIR source=samples.sh
source "${self%/*}/samples.sh"
page=${self%/tests/*}/docs/json.md

# members: "NAME<tab>TYPE or TYPE" of the JSON documents on standard input, in their order, but for the two that all have.
members() {
  LC_ALL=C grep -oE '"([^"\\]|\\.)*"|[][{},:]|[^][{},:"[:space:]]+' |
    awk -v open="facts, metadata, environment, values, recipe, step_seconds, overrides, plots, observations[]" -f "${self%/*}/json_fields.awk"
}

# printed: what those of the commands on standard input print that have --json. One that ends with another status than the page
# says stands in $work/refused.
printed() {
  local line wanted
  while IFS= read -r line; do
    wanted=0
    if [[ $line =~ '# exits '([0-9]+) ]]; then wanted=${BASH_REMATCH[1]}; fi
    eval "words=(${line%%#*})"
    run "${words[@]:1}"
    if ((status != wanted)); then echo "$line: status $status: $(head -n 1 "$work/err")" >>"$work/refused"; fi
    if [[ " ${words[*]} " != *" --json "* ]]; then continue; fi
    cat "$work/out"
    if [[ -n $(tail -c 1 "$work/out") ]]; then echo "$line: its last line does not end" >>"$work/refused"; fi
  done
}

# table TITLE: the rows of that section's table, "NAME<tab>TYPE<tab>MEANING".
table() {
  awk -v title="## $1" -F ' [|] ' '
    /^## / { here = $0 == title }
    here && /^[|] `/ { name = $1; gsub(/^[|] `|`$/, "", name); meaning = $3; sub(/ [|]$/, "", meaning); print name "\t" $2 "\t" meaning }' "$page"
}

# The files that the page shows, as tests/cli/docs.sh reads them.
awk '/^```[a-z]+ [^ ]+$/ { name = $2; next } /^```/ { name = "" } name { print >name }' "$page"

commands_in() { awk -v title="## $1" '/^## / { here = $0 == title } here && /^tfx /' "$page"; }

# differences DOCUMENTED PRINTED: the members of either that the other has not, and types that the page does not name. What a
# machine or a run has not, "*" in a name, need not be printed, and an empty list has no type.
differences() {
  awk -F '\t' '
    NR == FNR { types[$1] = " or " $2 " or "; next }
    { printed[$1] = 1 }
    !($1 in types) { print $1 " is not there"; next }
    { count = split($2, has, " or ")
      for (i = 1; i <= count; ++i)
        if (has[i] != "list" && !index(types[$1], " or " has[i] " or ")) print $1 " is " has[i] " too" }
    END { for (name in types) if (!(name in printed) && name !~ /[*]/) print name " is not printed" }' "$1" "$2"
}

mapfile -t titles < <(sed -n 's/^## //p' "$page")
if [[ ${2-} == --tables ]]; then
  sed '/^## /,$d' "$page"
  for title in "${titles[@]}"; do
    printf '## %s\n' "$title"
    awk -v title="## $title" '/^## / { here = $0 == title; next } here && /^[|]/ { exit } here' "$page"
    echo '| member | type | |'
    echo '|---|---|---|'
    table "$title" >"$work/meanings"
    commands_in "$title" | printed | members | awk -F '\t' -v meanings="$work/meanings" '
      BEGIN { while ((getline line <meanings) > 0) { split(line, part, "\t"); meaning[part[1]] = part[3] } }
      { print "| `" $1 "` | " $2 " | " ($1 in meaning ? meaning[$1] : "?") " |" }'
    echo
  done
  exit
fi

documented=
: >"$work/refused"
for title in "${titles[@]}"; do
  table "$title" >"$work/documented"
  commands_in "$title" | printed | members >"$work/printed"
  wrong=$(differences "$work/documented" "$work/printed" | head -n 5 | paste -sd ';')
  check "docs/json.md, $title${wrong:+: $wrong}" test -z "$wrong" -a -s "$work/printed"
  documented+=" $(commands_in "$title" | sed -n 's/^tfx \([a-z]*\).*--json.*/\1/p' | tr '\n' ' ')"
done
check "every command of the page ends as it says: $(paste -sd ';' "$work/refused")" test ! -s "$work/refused"
check "every member has a meaning" test -z "$(grep -n '^| `.*| *? *|$' "$page" | head -n 3)"
for command in $(commands_of_help); do
  if ! options_of "$command" | grep -qx -- --json; then continue; fi
  check "docs/json.md has tfx $command" test "${documented/ $command /}" != "$documented"
done

# The commands that return a Report are those that docs/design.md counts.
cd "${page%/docs/*}" || exit 1
returned=$(grep -lE '^Report ' src/cli/*/*.cpp | cut -d / -f 3 | sort -u | paste -sd ' ')
counted=$(tr '\n' ' ' <docs/design.md | grep -oE 'above its page\. [^.]* have one;' | grep -oE '`[a-z]+`' | tr -d '`' | paste -sd ' ')
check "docs/design.md counts what returns a Report: $returned" test "$returned" = "$counted" -a -n "$counted"

finish
