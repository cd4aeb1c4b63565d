#!/usr/bin/env bash
# A teacher's own exercise: a folder that tfx exercise and tfx grade read when they are run; what is wrong with one.
#   tests/cli/own_exercise.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

has() { grep -Fq -- "$1" "$work/out"; }
export TMPDIR=$work/tmp
mkdir "$TMPDIR"
mkdir lab && cp -r "${self%/*/*}/exercise/cosine" lab
folder=lab/cosine

# --- the programs to start from --------------------------------------------------------------------------------------

shows "a folder is an exercise" 0 "cosine(X, Y) → cosines" --lang en exercise "$folder"
check "what to do then names the folder" has "tfx grade $folder cosine.py"
for part in '# tfx exercise cosine' 'The cosine of every query with every key' 'def cosine(X, Y):' '        X  (n, m)' \
  '        Y  (k, m)' '        cosines  (n, k)'; do
  check "the program has $part" grep -Fq -- "$part" cosine.py
done
shows_match "and is not overwritten" 73 "is there already" --lang en exercise "$folder"
shows "in Chinese and C++" 0 "点积除以两个长度的乘积" --lang zh exercise "$folder" --in c++ --to zh
check "the words stand in the program" grep -q "每个查询与每个键的余弦" zh/cosine.cpp

# --- grading ---------------------------------------------------------------------------------------------------------

shows_match "the hole" 1 "The hole is still there|lacks what the program needs|stopped with an error|could not be started" --lang en grade "$folder" cosine.py
shows "without a program" 2 "nothing to grade" --lang en grade "$folder"
printf '# tfx exercise softmax\n' >softmax.py
shows "a program of another exercise" 65 "is a program of the exercise softmax, not of cosine" --lang en grade "$folder" softmax.py
shows_match "a command" 1 "small it stopped here.*a single vector on each side not reached" --lang en grade "$folder" --run false
printf 'id,seed\nada,1\nli,2\nbo,3\n' >class.csv
mkdir hand
cp cosine.py hand/ada.py
echo 1 >hand/li.csv
shows "a class" 0 "0 of 3 right" --lang en grade "$folder" --class hand --roster class.csv --out grades.csv
cp grades.csv "$work/out"
check "an array is no program" has 'li,0,3,unreadable,,"this exercise takes programs'
check "and nothing is nothing" has 'bo,0,3,missing,,'
shows "options of a lesson" 2 "--n-q is of a lesson" --lang en grade "$folder" --class hand --roster class.csv --out g.csv --n-q 3
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import numpy' 2>/dev/null || continue
  sed 's|    raise NotImplementedError.*|    D = X @ Y.T|; s|cosines=...|cosines=D / np.outer(np.linalg.norm(X, axis=1), np.linalg.norm(Y, axis=1))|' cosine.py >right.py
  shows_match "a right program" 0 "✓ a single vector on each side.*3 of 3" --lang en grade "$folder" right.py --python "$candidate"
  check "no lesson is next" test "$(grep -c '^next' "$work/out")" = 0
  check "no progress is kept" test ! -e "$XDG_STATE_HOME/tfx/progress"
  sed 's|np.linalg.norm(X, axis=1)|1|' right.py >wrong.py
  shows_match "a wrong one" 1 "cosines: 8 of 8 cells are wrong|cosines has shape" --lang en grade "$folder" wrong.py --python "$candidate"
  # The mistakes that the teacher has told in wrong.npz are named, in each language; another one is not.
  shows_match "a mistake of the teacher's own" 1 "mistake +Only the length of Y +Divide by the length of the row of X too" \
    --lang en grade "$folder" wrong.py --python "$candidate"
  shows "in Chinese" 1 "还要除以 X 那一行的长度" --lang zh grade "$folder" wrong.py --python "$candidate"
  shows_match "as JSON" 1 '"mistake": ?"only_y"' --lang en grade "$folder" wrong.py --python "$candidate" --json
  cp wrong.py hand/ada.py
  shows "in a class" 0 "0 of 3 right" --lang en grade "$folder" --class hand --roster class.csv --out mistakes.csv --python "$candidate"
  check "its name stands in the table" grep -q '^ada,0,3,wrong,only_y,.*Divide by the length' mistakes.csv
  # Where one case is not what the mistake returns, or all are right, it is not named.
  sed 's|    D = X @ Y.T|    D = X @ Y.T + (len(X) == 4)|' wrong.py >other.py
  shows "another mistake in one case" 1 "cosines: 8 of 8 cells are wrong" --lang en grade "$folder" other.py --python "$candidate"
  check "is none of the teacher's own" test "$(grep -c "Only the length" "$work/out")" = 0
  sed 's|D = X @ Y.T|D = Y @ X.T|; s|D / np.outer.*|D)|' right.py >wrong.py
  shows_match "another shape" 1 "should have shape" --lang en grade "$folder" wrong.py --python "$candidate"
  break
done
if command -v c++ >/dev/null && echo '#include <armadillo>' | c++ -E -x c++ - >/dev/null 2>&1; then
  sed 's|  throw std::logic_error.*|  const mat C = arma::normalise(X, 2, 1) * arma::normalise(Y, 2, 1).t();|; s|{"cosines", mat()}|{"cosines", C}|' zh/cosine.cpp >zh/right.cpp
  shows_match "a right one in C++" 0 "3 of 3" --lang en grade "$folder" zh/right.cpp
fi

# A long name of a case and what is said of it stand apart; a longer one stands above it.
cp -r "$folder" long && mkdir -p long/cosine && rm -rf long/cosine && cp -r "$folder" long/cosine
sed -i 's|a single vector on each side|a single vector on each side, no more|' long/cosine/en.md
shows "two blanks behind a long name" 1 "a single vector on each side, no more  " --lang en grade long/cosine --run false
sed -i 's|on each side, no more|on each side, and no other vector at all on any of them, whatever it be|' long/cosine/en.md
shows "no line is wider than the screen" 1 "a single vector on each side, and" --lang en grade long/cosine --run false --width 60
check "to the last" test "$(awk '{ if (length($0) > most) most = length($0) } END { print most }' "$work/out")" -le 60

# --- folders that are none -------------------------------------------------------------------------------------------

# refused NAME STATUS TEXT COMMAND: a copy of the folder, changed by COMMAND in it.
refused() {
  rm -rf copy new && mkdir copy && cp -r "$folder" copy/cosine && (cd copy && eval "$4")
  shows "$1" "$2" "$3" --lang en exercise copy/"${5:-cosine}" --to new
  check "$1: nothing is written" test ! -e new
}
refused "no such folder" 2 'no exercise "copy/gone"' true gone
refused "no inputs" 66 "cannot open copy/cosine/inputs.npz" 'rm cosine/inputs.npz'
refused "no outputs" 66 "cannot open copy/cosine/outputs.npz" 'rm cosine/outputs.npz'
refused "inputs that are no npz" 65 "copy/cosine/inputs.npz" 'echo junk >cosine/inputs.npz'
refused "no words" 65 "copy/cosine has neither en.md nor zh.md" 'rm cosine/*.md'
refused "no task" 65 "en.md has no section ## exercise" 'printf "## title\nx\n" >cosine/en.md'
refused "words that end a comment" 65 "en.md cannot be a comment" "printf '## title\nx\n## exercise\n\"\"\"; import os\n' >cosine/en.md"
refused "words that go on" 65 "en.md cannot be a comment" "printf '## title\nx\n## exercise\ny %s\n' '\\' >cosine/en.md"
refused "words with escapes" 65 "en.md cannot be a comment" 'printf "## title\n\033[2J\n## exercise\ny\n" >cosine/en.md'
refused "a name of no function" 65 '"my-cosine" cannot be the name' 'mv cosine my-cosine' my-cosine
refused "a word of C++" 65 '"template" cannot be the name' 'mv cosine template' template
refused "a word of Python" 65 '"lambda" cannot be the name' 'mv cosine lambda' lambda
refused "outputs for inputs" 65 "cosines is an input and an output" 'cp cosine/outputs.npz cosine/inputs.npz'
refused "inputs for outputs" 65 "is an input and an output" 'cp cosine/inputs.npz cosine/outputs.npz'
for name in numpy math string statistics torch; do
  refused "the module $name" 65 "Python has a module \"$name\"" "mv cosine $name" "$name"
done
refused "a mistake without words" 65 "en.md has no section ## wrong.only_y" "sed -i '/wrong.only_y/,\$d' cosine/en.md"
refused "words of no mistake" 65 "has a section ## wrong.only_dot, and wrong.npz has no array of it" 'rm cosine/wrong.npz'
refused "a mistake that is right" 65 "is not WRONG/CASE/NAME" 'cp cosine/outputs.npz cosine/wrong.npz'
mkdir -p copy && rm -rf copy/cosine && cp -r "$folder" copy/cosine && rm copy/cosine/zh.md
shows "one language will do" 0 "product of their" --lang zh exercise copy/cosine --to one
command=(--lang zh exercise)
shows "a refusal in Chinese" 65 "既没有 en.md 也没有 zh.md" "$(rm copy/cosine/en.md && echo copy/cosine)"

finish
