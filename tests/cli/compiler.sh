#!/usr/bin/env bash
# Programs in C++: Armadillo's headers are compiled once and kept, and no cache is needed; a hand-in of a class has the header
# of the exercise and nothing of its neighbours.
#   tests/cli/compiler.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

if ! command -v c++ >/dev/null || ! echo '#include <armadillo>' | c++ -E -x c++ - >/dev/null 2>&1; then
  ok "C++ programs are left out: no compiler with Armadillo here"
  finish
fi
mkdir hand
run exercise softmax --in c++ --to .
sed -e 's|^  throw std::logic_error.*|  const mat scaled = scores / std::sqrt(double(d_k)); mat e = arma::exp(scaled.each_col() - arma::vec(arma::max(scaled, 1))); e.each_col() /= arma::vec(arma::sum(e, 1));|' \
  -e 's|return {{"weights", mat()}};|return {{"weights", e}};|' softmax.cpp >right.cpp

# costs NAME: a right program is graded; what that takes of the processors, in $cost, in hundredths of a second.
costs() {
  local TIMEFORMAT='%2U %2S' user system
  { time "$tfx" --lang en grade right.cpp >"$work/out" 2>"$work/err"; } 2>"$work/times"
  read -r user system <"$work/times"
  cost=$((10#${user/./} + 10#${system/./}))
  check "$1" grep -q '6 of 6' "$work/out"
}
costs "without a cache"
without=$cost
export XDG_CACHE_HOME=$work/cache
costs "with an empty one"
cache=("$work"/cache/tfx/*)
if c++ --version | grep -q 'Free Software'; then
  header=${cache[0]}/with_armadillo.hpp.gch
  check "the header is kept, and nothing else" test "${#cache[@]}" = 1 -a -s "$header"
  costs "with what was kept"
  check "takes less than three quarters: $cost of $without" test $((4 * cost)) -lt $((3 * without))
  sed 's|std::sqrt|std::sqrrt|' right.cpp >typo.cpp
  shows_match "an error names the learner's file" 1 "The compiler stops: typo.cpp:[0-9]+:.*sqrrt" --lang en grade typo.cpp
  touch -r "$header" "$work/time"
  for ((i = 1; i < 100; ++i)); do printf 'broken' | dd of="$header" bs=1M seek=$i conv=notrunc status=none; done
  touch -r "$work/time" "$header"
  costs "a kept one that is broken"
fi
sed '1a #define ARMA_EXTRA 1\nstatic_assert(ARMA_EXTRA == 1);' right.cpp >macros.cpp
shows "what changes Armadillo comes first" 0 "6 of 6" --lang en grade macros.cpp

cp right.cpp hand/ada.cpp
sed '1a #include "ada.cpp"' right.cpp >hand/bob.cpp
printf 'ada,1\nbob,2\n' >class.csv
shows "a class in C++" 0 "1 of 2 right" --lang en grade softmax --class hand --roster class.csv --out grades.csv
check "has the header" grep -q '^ada,6,6,right' grades.csv
check "and not its neighbours" grep -q '^bob,0,6,not_compiled.*ada.cpp' grades.csv

finish
