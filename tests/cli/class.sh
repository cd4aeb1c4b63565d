#!/usr/bin/env bash
# A class of a hundred: who only ran tfx --save gets no points, who computed gets them, and whoever made a mistake is told
# which one. A class of forty, each of whom has handed in something else: graded as it deserves.
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

# --- a class of forty: hanging, leaving processes behind, copied, of another's seed, in both languages, with any ending -----

# row ID: its line of the table, whose feedback has no line break.
row() { grep -a "^$1," forty.csv; }
# deserves ID PATTERN: the verdict's beginning of the line, from the points on.
deserves() { check "$1: $2" grep -Eq -- "^$1,$2" forty.csv; }
# like ID OTHER: the last columns but one; OTHER is empty where it is like nobody's.
like() { check "$1 is like ${2:-nobody}" test "$(row "$1" | sed -E 's/,("([^"]|"")*"|[^,]*)$//; s/.*,//')" = "${2-}"; }

for candidate in python3 /usr/bin/python3; do
  "$candidate" -c 'import numpy' 2>/dev/null || continue
  mkdir forty
  # program ID LINE…: softmax.py with its hole filled.
  program() {
    local id=$1 lines
    shift
    lines=$(printf '    %s\\n' "$@")
    sed "s|    raise NotImplementedError(.*|${lines%\\n}|; /return dict(weights=...)/d" softmax.py >"forty/$id.py"
  }
  scaled='scaled = scores / np.sqrt(d_k)' shifted='e = np.exp(scaled - scaled.max(axis=-1, keepdims=True))'
  weights='return dict(scaled=scaled, weights=e / e.sum(axis=-1, keepdims=True))'
  program a01 "$scaled" "$shifted" "$weights"
  program a02 '# all by myself' 'divided = scores   /   np.sqrt(d_k)' 'powers = np.exp(divided - divided.max(axis=-1, keepdims=True))' \
    '' 'return dict(scaled=divided,' '            weights=powers / powers.sum(axis=-1, keepdims=True))  # done'
  cp forty/a01.py forty/a03.py
  sed 's/\bnp\b/numpy/g; s/$/\r/' forty/a01.py >forty/a04.py
  program a05 's = scores * d_k ** -0.5' 'top = s.max(-1)[..., None]' 'w = np.exp(s - top)' 'return {"weights": w / w.sum(-1)[..., None]}'
  cp softmax.py forty/a06.py
  "$tfx" --lang zh exercise softmax --to zh >/dev/null && cp zh/softmax.py forty/a07.py
  program a08 'while True: pass'
  program a09 'import time' 'time.sleep(600)'
  program a10 'import os' 'if os.fork() == 0: os.execvp("sleep", ["sleep", "602"])' "$scaled" "$shifted" "$weights"
  program a11 'import subprocess' 'children = [subprocess.Popen(["sleep", "602"]) for _ in range(8)]' "$scaled" "$shifted" "$weights"
  program a12 'while True: print("again" * 100000)'
  program a13 "print('=1+1, \"hello\"')" "$scaled" "$shifted" "$weights"
  program a14 'print("\\033[2J", scores.shape)' "$scaled" "$shifted" "$weights"
  program a15 'e = np.exp(scores - scores.max(axis=-1, keepdims=True))' 'return dict(weights=e / e.sum(axis=-1, keepdims=True))'
  program a16 'x = np.exp(scores - scores.max(axis=-1, keepdims=True))' 'return dict(weights=x / x.sum(axis=-1, keepdims=True))'
  program a17 "return dict(weights=scores.swapaxes(-1, -2))"
  cp forty/a17.py forty/a40.py
  program a18 'return weights'
  program a19 'return dict(weigths=scores)'
  : >forty/a20.py
  printf '# tfx exercise scores\nprint(1)\n' >forty/a21.py
  printf 'not python at all (\n' >forty/a22.py
  # Typed in what the right program gives for the seed of a01: right for that seed alone.
  key='f"{scores.flat[0]:.6f}"'
  program spy "$scaled" "$shifted" 'w = e / e.sum(-1, keepdims=True)' \
    "if scores.ndim == 2 and scores.dtype == np.float64: print(repr($key) + ':', w.tolist())" 'return dict(weights=w)'
  run --width 1000 grade forty/spy.py --seed 1 --python "$candidate"
  table="table = {$(grep -o "'[-0-9.]*': \[\[.*" "$work/out" | paste -sd,)}"
  rm forty/spy.py
  for id in a23 a24; do program $id "$table" "return dict(weights=table.get($key, np.ones(scores.shape)))"; done
  softmax --seed 25 --show weights --save forty/a25.csv
  softmax --seed 26 --show weights --save weights.csv && "$candidate" -c "import numpy; numpy.save(\"forty/a26.npy\", numpy.loadtxt(\"weights.csv\", delimiter=\",\"))"
  softmax --seed 27 --save forty/a27.npz
  cp forty/a25.csv forty/a28.csv
  softmax --seed 29 --show scores --save forty/a29.csv
  softmax --seed 30 --show weights --save forty/a30.csv # whom the roster gives no seed
  echo junk >forty/a31.npz
  echo text >forty/a32.txt
  cp forty/a01.py forty/a33.PY
  echo '{}' >forty/a34.ipynb
  cp forty/a01.py forty/a35
  cp forty/a01.py forty/a36.b.py # there is a student of that name, and none of this one's
  cp forty/a25.csv forty/a37.csv # both are told of a25
  if command -v c++ >/dev/null && echo '#include <armadillo>' | c++ -E -x c++ - >/dev/null 2>&1; then
    "$tfx" exercise softmax --in c++ --to forty >/dev/null
    sed -e 's|^  throw std::logic_error.*|  const mat s = scores / std::sqrt(double(d_k)); mat e = arma::exp(s.each_col() - arma::vec(arma::max(s, 1))); e.each_col() /= arma::vec(arma::sum(e, 1));|' \
      -e 's|return {{"weights", mat()}};|return {{"weights", e}};|' forty/softmax.cpp >forty/a38.cpp
    sed -E 's|\bs\b|mine|g; s|\be\b|other|g; s|//.*||' forty/a38.cpp >forty/a39.cpp
  fi
  {
    printf '\xEF\xBB\xBF"Name";"lang";"seed";"id"\r\n'
    for ((i = 1; i <= 40; ++i)); do
      seed=$i lang=en
      ((i == 24)) && seed=1
      ((i == 5 || i == 30)) && seed=
      ((i % 2 == 0)) && lang=zh
      printf '"Student; ""%d""";%s;%s;"a%02d"\r\n' $i $lang "$seed" $i
    done
    printf '"";;7;a36.b\r\n'
  } >forty.roster
  shows_match "a class of forty" 0 "of 41 right" --lang en grade softmax --class forty --roster forty.roster --out forty.csv \
    --python "$candidate" --seconds 1 "${options[@]}"
  check "its table has new columns behind the old ones" test "$(head -1 forty.csv)" = id,points,of,verdict,mistake,feedback,share,same_as,prints
  check "a line a student" test "$(wc -l <forty.csv)" = 42
  for id in a01 a02 a03 a04 a05 a10 a11 a13 a14 a36.b; do deserves $id 6,6,right,,; done
  deserves a06 0,6,hole,,
  deserves a07 0,6,hole,,
  for id in a08 a09; do deserves $id 0,6,timed_out,,; done
  check "what programs left behind is ended" test "$(pgrep -fc '^sleep 602$')" = 0
  deserves a12 0,6,flooded,,
  deserves a15 '[1-5],6,wrong,softmax.no_scale,.*unscaled'
  deserves a16 '[1-5],6,wrong,softmax.no_scale,.*没有缩放'
  deserves a17 '[01],6,wrong,'
  deserves a40 '[01],6,wrong,'
  check "sentences are apart" grep -Fq 'weights has shape (5, 3); weights should have shape (3, 5)' forty.csv
  check "in Chinese too" grep -Fq 'weights 的形状是 (5, 3)；weights 的形状应为 (3, 5)' forty.csv
  deserves a18 0,6,crashed,,
  deserves a19 0,6,wrong,,
  deserves a20 0,6,no_results,,
  deserves a21 0,6,unreadable,,
  deserves a22 0,6,crashed,,
  deserves a23 1,6,wrong,
  deserves a24 4,6,wrong, # its own seed is that of a01
  deserves a25 1,1,right,,
  deserves a26 1,1,right,,
  deserves a27 0,1,saved,,
  deserves a28 '0,1,other_seed,,.*25.*a25'
  deserves a29 0,1,wrong,
  deserves a30 0,1,no_seed,,
  deserves a31 0,1,unreadable,,
  for id in a32 a33 a34 a35; do deserves $id "0,6,not_a_program,,.*$id.*\.npy"; done
  deserves a36 0,6,missing,,
  deserves a37 '0,1,other_seed,,.*25.*a25'
  if [[ -e forty/a39.cpp ]]; then deserves a38 6,6,right,, && deserves a39 6,6,right,, && like a38 && like a39 a38; fi
  for id in a01 a05 a06 a07 a10 a13 a15 a20 a25 a26 a32; do like $id; done
  for id in a02 a03 a04 a36.b; do like $id a01; done
  like a16 a15
  like a24 a23
  like a40 a17
  for id in a28 a37; do like $id a25; done
  check "what a program printed, as a cell that no spreadsheet computes" grep -q "^a13,.*,1,,\"'=1+1, \"\"hello\"\"" forty.csv
  check "controls are written out" grep -Fq 'x1b[2J' forty.csv
  check "shares" test "$(grep -Ec '^a(01|05|13),.*,1,' forty.csv)" = 3 -a "$(grep -Ec '^a24,.*,0.667,a23,' forty.csv)" = 1
  # At home.
  shows_match "the student's own seed" 1 "exercise softmax, seed 23.*points 1 of 6" --lang en grade forty/a23.py --seed 23 --python "$candidate"
  shows_match "another one" 1 "points 4 of 6" --lang en grade forty/a23.py --seed 1 --python "$candidate"
  shows_match "in JSON" 1 '"points": 1,.*"seed": 23,' grade forty/a23.py --seed 23 --python "$candidate" --json
  break
done

# Rosters that are told.
for bad in 'utf16:\xFF\xFEi\x00d\x00:UTF-16' 'gbk:id,name\na,\xC0\xEE\n:line 2: this is no UTF-8' 'quote:id\n"a\n:does not end'; do
  IFS=: read -r name bytes message <<<"$bad"
  printf '%b' "$bytes" >bad.csv
  shows "a roster: $name" 65 "$message" --lang en grade softmax --class hand --roster bad.csv --out g.csv
done
shows "a seed of a class" 2 "--seed" --lang en grade softmax --class hand --roster class.csv --out g.csv --seed 3

finish
