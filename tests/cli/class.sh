#!/usr/bin/env bash
# A class of a hundred: who only ran tfx --save gets no points, who computed gets them, and whoever made a mistake is told
# which one.
#   tests/cli/class.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

mkdir hand
options=(--n-q 5 --d-model 4 --d-k 3)
softmax() { "$tfx" softmax "${options[@]}" --no-time --quiet "$@" >/dev/null; }
echo id,seed >class.csv
for ((i = 101; i <= 200; ++i)); do echo "s$i,$i" >>class.csv; done

for ((i = 101; i <= 145; ++i)); do softmax --seed $i --save hand/s$i.npz; done # 60 who only ran --save: 45 as they should
for ((i = 146; i <= 155; ++i)); do cp hand/s$((i - 45)).npz hand/s$i.npz; done # 10 copied a file of somebody else
softmax --save hand/s156.npz                                                    # 5 forgot the seed
for ((i = 157; i <= 160; ++i)); do cp hand/s156.npz hand/s$i.npz; done
for ((i = 161; i <= 180; ++i)); do # 20 computed it: an array alone, as np.savetxt would leave it
  softmax --seed $i --show weights --save hand/s$i.csv
done
for ((i = 181; i <= 190; ++i)); do # 10 without the scale
  run break softmax "${options[@]}" --seed $i --with softmax.no_scale --json
  sed -n 's/.*"name":"weights","right":[^}]*"wrong":\[\[//p' "$work/out" | sed 's/\]\].*//; s/\],\[/\n/g' >hand/s$i.csv
done
for ((i = 191; i <= 195; ++i)); do head -c 100 hand/s101.npz >hand/s$i.npz; done # 5 broken, and 5 handed in nothing

shows "a hundred students" 0 "20 of 100 right" --lang en grade softmax --class hand --roster class.csv --out grades.csv "${options[@]}"
# verdicts FROM TO PATTERN: the lines of these students all have it.
verdicts() {
  for ((i = $1; i <= $2; ++i)); do
    grep -Eq -- "^s$i,$3" grades.csv || { grep "^s$i," grades.csv && return 1; }
  done
}
check "who only saved has nothing" verdicts 101 145 "0,1,saved,,this is the file that tfx --save writes|0,1,saved,,\""
check "nor who copied one" verdicts 146 155 "0,1,other_seed,"
check "nor who forgot the seed" verdicts 156 160 "0,1,wrong,"
check "who computed it is right" verdicts 161 180 "1,1,right,"
check "a mistake is named" verdicts 181 190 "0,1,wrong,softmax.no_scale,"
check "what is broken is told so" verdicts 191 195 "0,1,unreadable,"
check "and who is missing" verdicts 196 200 "0,1,missing,"

# The same in the program of an exercise: what it does not compute gives nothing.
for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import numpy' 2>/dev/null || continue
  "$tfx" exercise softmax --to . >/dev/null
  mkdir programs
  echo id,seed >small.csv
  for ((i = 1; i <= 6; ++i)); do echo "p$i,$i" >>small.csv; done
  solution() { sed "s|    raise NotImplementedError(.*|    $1|; s|return dict(weights=...)|return dict(weights=w)|" softmax.py; }
  cp softmax.py programs/p1.py
  solution 's = scores / d_k ** 0.5; e = np.exp(s - s.max(-1, keepdims=True)); w = e / e.sum(-1, keepdims=True)' >programs/p2.py
  solution 'e = np.exp(scores - scores.max(-1, keepdims=True)); w = e / e.sum(-1, keepdims=True)' >programs/p3.py
  solution 'w = np.full((3, 5), 0.2)' >programs/p4.py # what a screen showed, typed in
  solution 'while True: pass' >programs/p5.py
  returning() { solution 'w = scores' | sed "s|    return dict(weights=w)|    $1|"; }
  returning 'return dict(wights=w)' >wights.py
  returning 'w' >none.py
  returning 'return w' >bare.py
  shows "a misspelt key" 1 "did you" --lang en grade wights.py --python "$candidate"
  shows "no return" 1 "softmax returns nothing" --lang en grade none.py --python "$candidate"
  shows "no dict" 1 "softmax returns a numpy.ndarray; what it" --lang en grade bare.py --python "$candidate"
  solution 's = scores / d_k ** 0.5; e = np.exp(s - s.max(-1, keepdims=True)); w = e / e.sum(-1, keepdims=True)' >slow.py
  echo '    while True: pass' >>slow.py # all is written, and it does not end
  shows "complete results of one that is slow to end" 0 "6 of 6" --lang en grade slow.py --python "$candidate" --seconds 2
  softmax --seed 6 --save programs/p6.npz
  shows "programs" 0 "1 of 6 right" --lang en grade softmax --class programs --roster small.csv --out grades.csv --python "$candidate" --seconds 2 "${options[@]}"
  for line in p1,0,6,hole p2,6,6,right p3,2,6,wrong,softmax.no_scale p4,0,6,wrong p5,0,6,timed_out p6,0,1,saved; do
    check "the table has $line" grep -q "^$line" grades.csv
  done
  break
done

finish
