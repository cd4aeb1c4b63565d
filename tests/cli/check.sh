#!/usr/bin/env bash
# tfx check: right, wrong and unreadable files, and what it says of them.
#   tests/cli/check.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

# --- right ---------------------------------------------------------------------------------------------------------

for lesson in lookup words qkv scores softmax attention sdpa masked multihead cross embed block loss; do
  "$tfx" "$lesson" --save "$lesson.npz" --quiet >/dev/null 2>&1
  shows_match "$lesson equals itself" 0 'equal in all' --lang en check "$lesson" "$lesson.npz"
done
"$tfx" scores --save scores.csv --quiet >/dev/null
shows_match "a text table" 0 '✓ scores equal in all 16 cells' --lang en check scores scores.csv
run_from() { timeout "$TEST_SECONDS" "$tfx" --lang en check scores - <"$1" >"$work/out" 2>"$work/err"; }
check "standard input, text" run_from scores.csv
check "standard input, npz" run_from scores.npz
"$tfx" words --save norms.csv --show norms --quiet >/dev/null
shows_match "a vector as a text table" 0 'equal in all' --lang en check words norms.csv --tensor norms
shows_match "one tensor of an npz" 0 '✓ Q equal' --lang en check scores scores.npz --tensor Q
"$tfx" softmax --text "the cat sat" --causal --save own.npz --quiet >/dev/null
shows_match "one's own words and mask" 0 'equal' --lang en check softmax own.npz --text "the cat sat" --causal
shows_match "and without the mask it differs" 1 'differ' --lang en check softmax own.npz --text "the cat sat"

# --- wrong ---------------------------------------------------------------------------------------------------------

printf '8,4,12,10\n2,0,2,4\n10,4,14,14\n2,0,2,3\n' >turned.csv
shows_match "a transposed array is called so" 1 "transposed" --lang en check scores turned.csv
shows_match "in Chinese too" 1 '转置' --lang zh check scores turned.csv
printf '2,0,2\n2,0,0\n4,0,2\n2,1,2\n' >q.csv
shows_match "another tensor is called by its name" 1 "this is the lesson's Q, not its scores.*--tensor Q" --lang en check scores q.csv
shows_match "and is right under it" 0 'equal' --lang en check scores q.csv --tensor Q
printf '8,2,10,2\n4,0,4,0\n12,2,14,2\n10,4,14,4\n' >cell.csv
shows_match "one wrong cell" 1 '1 of 16 cells differ.*scores\[q4, k4\]: yours is 4.*2·0 \+ 1·1 \+ 2·1 = 3' --lang en check scores cell.csv
shows_match "that no mistake explains" 1 'not in the catalogue' --lang en check scores cell.csv
printf '8,2,10,2\n4,0,4,0\n12,2,14,2\n' >short.csv
shows_match "another shape" 1 'shape \(3, 4\), the lesson.s has \(4, 4\)' --lang en check scores short.csv
printf '8,2,10,2\n4,nan,4,0\n12,2,14,2\n10,4,14,3\n' >nan.csv
shows_match "a NaN" 1 'no finite number.*scores\[q2, k2\]' --lang en check scores nan.csv
run --lang en break softmax --with softmax.no_scale --json
grep -o '"name":"weights","right":.*' "$work/out" | sed 's/.*"name":"weights","right":[^}]*"wrong":\[\[//; s/\]\].*//; s/\],\[/\n/g' >no_scale.csv
"$tfx" softmax --save almost.csv --quiet >/dev/null
awk -F, -v OFS=, 'NR == 1 { $1 = sprintf("%.17g", $1 + 1e-5) } 1' almost.csv >off.csv
shows_match "a sum that is nearly 1" 1 'row q1 sums to 1 \+ 1e-05' --lang en check softmax off.csv
shows_match "a mistake is named" 1 'softmax.no_scale' --lang en check softmax no_scale.csv
run check softmax no_scale.csv --json
check "JSON" balanced <"$work/out"
for pattern in '"schema_version": 1' '"command": "check"' '"equal": false' '"mistake": "softmax.no_scale"' '"confidence": "sure"' \
  '"first_difference": \{"tensor":"weights","index":\[0,0\],"label":"weights\[q1, k1\]","yours":0\.1191[0-9]+,"lesson":0\.2360[0-9]+\}'; do
  check "it has $pattern" grep -Eq -- "$pattern" "$work/out"
done
run check softmax softmax.npz --json
for pattern in '"equal": true' '"mistake": null' '"first_difference": null'; do
  check "of a right one: $pattern" grep -Eq -- "$pattern" "$work/out"
done

# --- refused -------------------------------------------------------------------------------------------------------

shows_match "no file" 66 'nowhere.npy' --lang en check scores nowhere.npy
: >empty.npy
shows_match "an empty file" 65 'empty' --lang en check scores empty.npy
head -c 100 scores.npz >cut.npz
shows_match "a cut file" 65 'cut.npz' --lang en check scores cut.npz
{ printf 'PK\5\6' && head -c 18 /dev/zero; } >nothing.npz
shows_match "an archive of nothing" 65 'there is no array in it' --lang en check scores nothing.npz
printf 'a,b\nc,d\n' >letters.csv
shows_match "letters" 65 'letters.csv' --lang en check scores letters.csv
printf '0.1,2,-1\n0,0.3,1.5\n' >logits.csv
"$tfx" loss --logits logits.csv --labels 1,2 --save logits.npz --quiet >/dev/null
shows_match "no array of the lesson" 65 'none of its arrays' --lang en check scores logits.npz
shows_match "a tensor that is none" 2 'no tensor "skores"; did you mean scores' --lang en check scores scores.csv --tensor skores
shows_match "no file at all" 2 'needs a FILE' --lang en check scores
shows_match "a lesson without a page" 2 'nothing of lesson 18, bench' --lang en check bench scores.csv

# --- quick ---------------------------------------------------------------------------------------------------------

"$tfx" multihead --tutorial fun-transformer:2 --save wide.npz --quiet >/dev/null
start=$(date +%s%N)
run check multihead wide.npz
check "a tutorial's largest lesson in time" test $((($(date +%s%N) - start) / 1000000)) -lt 10000

finish
