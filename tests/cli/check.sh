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
run_from() { "$tfx" --lang en check scores - <"$1" >"$work/out" 2>"$work/err"; }
check "standard input, text" run_from scores.csv
check "standard input, npz" run_from scores.npz
"$tfx" words --save norms.csv --show norms --quiet >/dev/null
shows_match "a vector as a text table" 0 'equal in all' --lang en check words norms.csv --tensor norms
shows_match "one tensor of an npz" 0 '✓ Q equal' --lang en check scores scores.npz --tensor Q
"$tfx" softmax --text "the cat sat" --causal --save own.npz --quiet >/dev/null
shows_match "one's own words and mask" 0 'equal' --lang en check softmax own.npz --text "the cat sat" --causal
shows_match "and without the mask it differs" 1 'differ' --lang en check softmax own.npz --text "the cat sat"

# --- what is given ---------------------------------------------------------------------------------------------------

shows_match "inputs names what is given" 0 'given +Q 3×4, K 5×4.*tfx inputs softmax .* --save given.npz' --lang en inputs softmax --n-q 3 --n-k 5 --d-k 4 --seed 7
"$tfx" inputs softmax --n-q 3 --n-k 5 --d-k 4 --seed 7 --save given.npz >/dev/null
check "and saves it alone" test "$("$tfx" inspect given.npz | grep -o '^[QKa-z_]* *float64.*×[0-9]*' | tr -s ' ' | tr '\n' ';')" = "Q float64 3×4;K float64 5×4;"
shows_match "what is given is no answer" 65 'is no answer to softmax' --lang en check softmax given.npz --n-q 3 --n-k 5 --d-k 4 --seed 7
"$tfx" softmax --n-q 3 --n-k 5 --d-k 4 --seed 7 --save whole.npz --quiet >/dev/null
run --lang en diff given.npz whole.npz
check "they are the lesson's own" grep -q "2 of 10 arrays are equal" "$work/out"
shows_match "a .csv has room for one array" 2 'writes .npz, .json or .html here' --lang en inputs softmax --save given.csv
shows_match "another kind of file" 2 'writes .npz, .json or .html here' --lang en inputs softmax --save given.npy
shows_match "an option of other lessons" 2 'heads' --lang en inputs softmax --heads 2

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
printf '0.7\n' >one.csv
shows_match "one number against a single key" 1 'weights\[q1, k1\]: yours is 0.7.*= 1' --lang en check cross one.csv --n-k 1
printf '8,2,10,2\n4,0,4,0\n12,2,14,2\n' >short.csv
shows_match "another shape" 1 'shape \(3, 4\), the lesson.s has \(4, 4\)' --lang en check scores short.csv
check "what is said of it stands apart" grep -qzP '\n\n(mistake|seen)' "$work/out"
printf '8,2,10,2\n4,nan,4,0\n12,2,14,2\n10,4,14,3\n' >nan.csv
shows_match "a NaN" 1 'that are NaN: 1, the first one scores\[q2, k2\]' --lang en check scores nan.csv
run --lang en break softmax --with softmax.no_scale --json
grep -o '"name":"weights","right":.*' "$work/out" | sed 's/.*"name":"weights","right":[^}]*"wrong":\[\[//; s/\]\].*//; s/\],\[/\n/g' >no_scale.csv
"$tfx" softmax --save almost.csv --quiet >/dev/null
awk -F, -v OFS=, 'NR == 1 { $1 = sprintf("%.17g", $1 + 1e-5) } 1' almost.csv >off.csv
shows_match "a sum that is nearly 1" 1 'row q1 sums to 1 \+ 1e-05' --lang en check softmax off.csv
shows_match "a mistake is named" 1 'softmax.no_scale' --lang en check softmax no_scale.csv
run check softmax no_scale.csv --json
check "JSON" balanced <"$work/out"
for pattern in '"schema_version": 2' '"command": "check"' '"equal": false' '"mistake": "softmax.no_scale"' '"confidence": "sure"' \
  '"first_difference": \{"tensor":"weights","index":\[0,0\],"label":"weights\[q1, k1\]","yours":0\.1191[0-9]+,"lesson":0\.2360[0-9]+\}' \
  '"feedback": "weights: 16 of 16 cells are wrong.*softmax.no_scale' '"points": 0,' '"of": 1,'; do
  check "it has $pattern" grep -Eq -- "$pattern" "$work/out"
done
run check softmax softmax.npz --json
for pattern in '"equal": true' '"mistake": null' '"first_difference": null' '"feedback": "right"' '"points": 1,' '"of": 1,'; do
  check "of a right one: $pattern" grep -Eq -- "$pattern" "$work/out"
done

# --- in ASCII, on narrow screens, under an option of its own ----------------------------------------------------------------

shows_match "a wrong array in ASCII" 1 'FAIL weights +16 of 16 cells' --lang en --ascii check softmax no_scale.csv
shows_match "a right one" 0 'ok +weights +equal' --lang en --ascii check softmax softmax.npz
cp no_scale.csv "$(printf 'n%.0s' {1..90}).csv"
run --lang en check softmax "$(printf 'n%.0s' {1..90}).csv"
check "a long name fits the screen" test "$(sed -n 1,3p "$work/out" | wc -L)" -le 80
printf '0,0,0,0\n1,1,1,1\n1,1,1,1\n1,1,1,1\n' >blocked.csv
run softmax --mask blocked.csv --save blocked.npz
run check softmax blocked.npz --mask blocked.csv --no-answer --tolerance 0.5 --save page.html
check "a page has what the screen has, and no more of the run" test "$(grep -c 'may see nothing' page.html)" = 0
check "it says what was typed" grep -qF '<code>tfx check softmax blocked.npz --tolerance 0.5 --no-answer --mask blocked.csv</code>' page.html
shows_match "a page has another ending than an array" 2 'end the name in \.html or \.json' --lang en check softmax no_scale.csv --save page.npz

# --- saved ---------------------------------------------------------------------------------------------------------------

run check softmax no_scale.csv --json
cp "$work/out" one.json
shows_match "the JSON is saved" 1 'softmax.no_scale' --lang en check softmax no_scale.csv --save saved.json
check "as it is printed" cmp one.json saved.json
run check softmax no_scale.csv --lang en --save page.html
check "a page has the mistake's symptom in English" grep -q 'Row sums are right, but scaled is √d_k' page.html
check "and in Chinese" grep -q '行和是对的，但 scaled 是应有的 √d_k 倍' page.html
check "and the lesson's number" grep -q '0\.2361' page.html
check "and which lesson it is of" grep -Eq 'class="number">.*lesson 4.*第 4 课' page.html
run check softmax no_scale.csv --no-answer --save page.html
check "without the answer one's own number" grep -q '0\.1191' page.html
check "and none of the lesson's" test "$(grep -c '0\.2361' page.html)" = 0
run check softmax softmax.npz --save page.html
check "a page of a right answer" grep -q '全部 16 格相等' page.html

# --- without the lesson's numbers -----------------------------------------------------------------------------------------

shows_match "--no-answer says where" 1 '1 of 16 cells differ +first scores\[q4, k4\]: yours is 4 +scores, yours' --lang en check scores cell.csv --no-answer
check "and not what it should be" test "$(grep -cE "the lesson's|explain|= 3|by at most" "$work/out")" = 0
run check scores cell.csv --no-answer --json
check "nor does JSON" test "$(grep -cE '"lesson":3|"largest_difference":1' "$work/out")" = 0
printf '8,2,10,2\n4,0,4,0\n12,2,14,2\n10,4,14,3.01\n' >near.csv
shows_match "--tolerance" 0 'equal in all.*within 0.01 of each number, or within 0.001' --lang en check scores near.csv --tolerance 0.01
shows_match "a finer one" 1 '1 of 16' --lang en check scores near.csv --tolerance 1e-3

# --- no answer -----------------------------------------------------------------------------------------------------

# says_nothing NAME PATTERN ARGUMENT…: equal, but no answer: status 65, the pattern on stderr, nothing on stdout.
says_nothing() {
  local name=$1 pattern=$2
  shift 2
  shows_match "$name" 65 "$pattern" "$@"
  check "$name: nothing on standard output" test ! -s "$work/out"
}
says_nothing "X alone" 'equal \(X\), but without Q, K, V it is no answer to qkv' --lang en check qkv words.npz
says_nothing "in Chinese" '相等（X），但缺少 Q、K、V' --lang zh check qkv words.npz
says_nothing "as JSON" 'without Q, K, V' --lang en check qkv words.npz --json
says_nothing "all but the result" 'equal \(X, W_Q, Q, W_K, K\), but without scores' --lang en check scores qkv.npz
sed 's/weights\.npy/wieghts.npy/g' softmax.npz >misspelt.npz
says_nothing "a name misspelt" 'no tensor of softmax is called wieghts; did you mean weights' --lang en check softmax misspelt.npz
says_nothing "in Chinese too" 'wieghts 的张量；是不是想写 weights' --lang zh check softmax misspelt.npz
says_nothing "an input by its name" 'X is given, not computed.*the result of scores is scores' --lang en check scores scores.npz --tensor X
says_nothing "in Chinese again" 'X 是给定的' --lang zh check scores scores.npz --tensor X
printf '2,1\n0,3\n' >given.csv
says_nothing "what one has given oneself" 'Q is given, not computed' --lang en check sdpa given.csv --tensor Q --q given.csv
shows_match "a wrong tensor is wrong without the result" 1 '✗ Q' --lang en check scores qkv.npz --text "a b c d" --d-model 3
shows_match "all of several results" 0 'equal' --lang en check qkv qkv.npz
says_nothing "one of several results" 'equal \(Q\), but without K, V' --lang en check qkv q.csv
shows_match "which is meant" 0 'equal' --lang en check qkv q.csv --require Q
shows_match "what has to be there" 0 'equal' --lang en check scores qkv.npz --require Q,K
says_nothing "and is not" 'without scaled it is no answer to softmax' --lang en check softmax scores.npz --require Q,scaled
says_nothing "an input is none, whoever requires it" 'X is given, not computed' --lang en check qkv words.npz --require X
shows_match "no tensor of the lesson" 2 'no tensor "skores"; did you mean scores' --lang en check scores scores.npz --require Q,skores
shows_match "no names" 2 '--require takes names of tensors' --lang en check scores scores.npz --require ,
shows_match "either of the two" 2 'contradict each other' --lang en check scores scores.npz --require Q --tensor Q

# --- what an input cannot show -------------------------------------------------------------------------------------------

"$tfx" attention --n-q 4 --d-k 4 --d-v 4 --save square.npz --quiet >/dev/null
shows_match "sizes that are equal hide mistakes" 0 'cannot show: .*softmax.scale_dv' --lang en check attention square.npz --n-q 4 --d-k 4 --d-v 4
shows_match "in Chinese too" 0 '看不出：.*softmax.scale_dv' --lang zh check attention square.npz --n-q 4 --d-k 4 --d-v 4
# Keys that are all moved alike move each row of the scores, which a softmax does not mind.
printf '1,0\n0,1\n1,1\n' >conv_q.csv
printf '1,2\n0,1\n2,0\n' >conv_k.csv
printf '4,5\n3,4\n5,3\n' >moved_k.csv
"$tfx" sdpa --q conv_q.csv --k moved_k.csv --v conv_q.csv --save moved.npz --quiet >/dev/null
shows_match "what differs and does not matter, as JSON" 1 \
  '"conventions": \[\{"tensor":"scores","observations":\[\{"id":"rows_moved"\}\]\}' \
  check sdpa moved.npz --q conv_q.csv --k conv_k.csv --v conv_q.csv --require output --json
shows_match "as JSON" 0 '"hidden": \[[^]]*"softmax.scale_dv"' check attention square.npz --n-q 4 --d-k 4 --d-v 4 --json
"$tfx" attention --n-q 5 --d-k 3 --d-v 2 --save apart.npz --quiet >/dev/null
run --lang en check attention apart.npz --n-q 5 --d-k 3 --d-v 2
check "sizes that differ hide it no more" test "$status" = 0 -a "$(grep -c scale_dv "$work/out")" = 0

# --- a homework, graded as docs/teaching.md says ---------------------------------------------------------------------------

mkdir -p handed-in bin
ln -sf "$tfx" bin/tfx
sed -n '/^for file in handed-in/,/^done > grades.csv/p' "${self%/*}/../../docs/teaching.md" >loop.sh
own=(--n-q 5 --d-model 4 --d-k 3)
"$tfx" softmax "${own[@]}" --seed 1 --save handed-in/1.npz --quiet >/dev/null           # all of it
"$tfx" words "${own[@]:0:4}" --seed 2 --show X --save handed-in/2.npz --quiet >/dev/null # X alone
"$tfx" softmax "${own[@]}" --seed 3 --save right.npz --quiet >/dev/null
sed 's/weights\.npy/wieghts.npy/g' right.npz >handed-in/3.npz                            # a name misspelt
"$tfx" scores "${own[@]}" --seed 4 --save handed-in/4.npz --quiet >/dev/null            # all but the result
"$tfx" softmax "${own[@]}" --seed 6 --save handed-in/5.npz --quiet >/dev/null           # another one's
check "the loop is in the documentation" test "$(wc -l <loop.sh)" -gt 5
(PATH=$PWD/bin:$PATH && . ./loop.sh)
for grade in "1,right," "2,no answer," "3,no answer," "4,no answer," "5,wrong,"; do
  check "graded: $grade" grep -q "^$grade" grades.csv
done

"$tfx" softmax "${own[@]}" --seed 7 --show scores --save scores.csv --quiet >/dev/null
awk -F, -v OFS=, '{ for (i = 1; i <= NF; i++) $i = sprintf("%.17g", $i / sqrt(5)) } 1' scores.csv >len_K.csv
shows_match "the root of the number of keys is seen, and named" 1 '✗ scaled.*softmax\.scale_n' --lang en check softmax len_K.csv --tensor scaled "${own[@]}" --seed 7
"$tfx" softmax --n-q 4 --d-model 4 --seed 7 --save as_many.npz --quiet >/dev/null
shows_match "as many keys as d_k cannot show it" 0 'cannot show: .*softmax\.scale_n' --lang en check softmax as_many.npz --n-q 4 --d-model 4 --seed 7

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
"$tfx" block --norm standard --show output --save standard.csv --quiet >/dev/null
shows_match "an option that would make it equal is named" 1 'asked with --norm standard' --lang en check block standard.csv
shows_match "in Chinese too" 1 '用 --norm standard 来问本课' --lang zh check block standard.csv
shows_match "and with it all is equal" 0 'equal' --lang en check block standard.csv --norm standard
"$tfx" block --activation gelu --show output --save gelu.csv --quiet >/dev/null
shows_match "another activation is named" 1 'asked with --activation gelu' --lang en check block gelu.csv
shows_match "and with it too" 0 'equal' --lang en check block gelu.csv --activation gelu
"$tfx" block --activation gelu_tanh --show output --save gelu_tanh.csv --quiet >/dev/null
shows_match "GELU by tanh too" 1 'asked with --activation gelu_tanh' --lang en check block gelu_tanh.csv
shows_match "and by its formula where GELU is asked" 1 'gelu_tanh\(hidden\)' --lang en check block gelu_tanh.csv --activation gelu
"$tfx" block --norm standard --norm-eps 1e-12 --show output --save epsilon.csv --quiet --precision 17 >/dev/null
shows_match "another epsilon is named" 1 'asked with --norm-eps 1e-12' --lang en check block epsilon.csv --norm standard
shows_match "and with it too" 0 'equal' --lang en check block epsilon.csv --norm standard --norm-eps 1e-12
shows "an epsilon of 0 is none" 2 "--norm-eps takes a number from 1.0e-12 to 1" block --norm-eps 0
shows "a cell with it as arithmetic" 0 "0.25" explain block divisor_1 0 0 --norm-eps 0.25
shows_match "GELU where SiLU is asked" 1 'gelu\(hidden\)' --lang en check block gelu.csv --activation silu
"$tfx" softmax --n-q 5 --d-k 3 --seed 3 --show scores --save raw.csv --quiet >/dev/null
awk -F, -v OFS=, '{ s = 0; for (i = 1; i <= NF; i++) s += $i * $i; for (i = 1; i <= NF; i++) $i = sprintf("%.17g", $i * $i / s) } 1' raw.csv >squares.csv
shows_match "a formula that gives exactly the array" 1 'exactly what comes out where weights = scaled²/rowsum\(scaled²\)' --lang en check softmax squares.csv --n-q 5 --d-k 3 --seed 3
shows_match "a tensor that is none" 2 'no tensor "skores"; did you mean scores' --lang en check scores scores.csv --tensor skores
shows_match "no file at all" 2 'needs a FILE' --lang en check scores
shows_match "a lesson without a page" 2 'nothing of bench' --lang en check bench scores.csv

# --- quick ---------------------------------------------------------------------------------------------------------

"$tfx" multihead --tutorial fun-transformer:2 --save wide.npz --quiet >/dev/null
start=$(date +%s%N)
run check multihead wide.npz
check "a tutorial's largest lesson in time" test $((($(date +%s%N) - start) / 1000000)) -lt 10000

# Answers to the vectors that version 0.1 drew: np.random.seed(42); X = randn(3, 4); W_Q, W_K = randn(4, 4).
printf '%s\n' 4.551243885536987,8.45778770440607,-3.2108773242999904 \
  0.9937104571668307,2.3489679545716666,1.694884911664888 \
  -3.382314947172485,-5.940408230090548,1.794182881741044 >old_scores.csv
shows "an answer to the old draw is recognised" 1 "right of the vectors that tfx 0.1 drew" \
  check scores old_scores.csv --text "a b c" --lang en
shows "in Chinese too" 1 "对 tfx 0.1 为这些词抽的向量来说是对的" check scores old_scores.csv --text "a b c" --lang zh

# PyTorch's own label smoothing: F.cross_entropy(torch.zeros(2, 4), torch.tensor([0, 3]), label_smoothing=0.3) = ln 4.
printf '0,0,0,0\n0,0,0,0\n' >even.csv
printf '1.3862943611198906\n' >torch_loss.csv
shows "PyTorch's own smoothing is recognised" 1 "exactly F.cross_entropy(…, label_smoothing=ε)" \
  check loss torch_loss.csv --tensor loss --logits even.csv --labels 0,3 --smoothing 0.3 --lang en --width 200

finish
