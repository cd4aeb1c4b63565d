#!/usr/bin/env bash
# What a graded program may not do: leave a process behind, whichever way it goes about it, learn where it came from and
# what stands there, start processes without end, or keep --watch busy. The programs are of the shell, which any machine has:
# --python sh runs a hand-in as it would run Python's.
#   tests/cli/confined.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

export TMPDIR=$work/tmp
mkdir "$TMPDIR"
log=$work/log
# program FILE <TEXT: a hand-in.
program() { { echo "# tfx exercise softmax" && cat; } >"$1"; }
writer="sh $work/writer.sh" # writes into $log for 40 s, if nobody ends it
program "$work/writer.sh" <<END
trap '' HUP INT TERM
i=0; while [ \$((i += 1)) -lt 400 ]; do echo . >>$log; sleep 0.1; done
END

# is_over: whether the writer has run, and neither writes any more nor waits, stopped, to go on.
is_over() {
  local size
  [[ -s $log ]] || return
  size=$(wc -c <"$log")
  sleep 0.4
  [[ $(wc -c <"$log") == "$size" ]] && ! pgrep -f "$work/writer.sh" >/dev/null
}
end_writers() {
  pkill -KILL -f "$work/" 2>/dev/null
  rm -f "$log"
}

# leaves_nobody NAME PATTERN [ARGUMENT…] <PROGRAM: two tests: what tfx says of it, and that nothing is left.
leaves_nobody() {
  local name=$1 pattern=$2
  shift 2
  program "$work/program.sh"
  shows_match "$name" 1 "$pattern" --lang en grade softmax --run "sh $work/program.sh" "$@"
  check "$name: nothing is left" is_over
  end_writers
}

# --- no process is left behind ----------------------------------------------------------------------------------------

leaves_nobody "a session of its own" "wrote no results" <<END
setsid $writer & sleep 0.3
END
leaves_nobody "a group of its own" "wrote no results" <<END
set -m; $writer & sleep 0.3
END
leaves_nobody "two forks, as a daemon makes them" "wrote no results" <<END
(setsid sh -c '$writer & exit' &) ; sleep 0.3
END
leaves_nobody "a daemon that closed its channels" "wrote no results" <<END
(setsid nohup $writer </dev/null >/dev/null 2>&1 &) ; sleep 0.3
END
leaves_nobody "a daemon of one that hangs" "did not end within 10 s" --seconds 1 <<END
(setsid $writer &) ; sleep 60
END
leaves_nobody "what a daemon computes is counted" "ran for more than 1 s of the processor" --seconds 1 <<END
(setsid $writer &) ; (setsid sh -c 'while :; do :; done' &) ; sleep 60
END
leaves_nobody "two that start each other again" "wrote no results" <<END
cat >$work/guard.sh <<'GUARD'
while kill -0 \$1 2>/dev/null; do :; done
setsid sh $work/guard.sh \$\$ & exec $writer
GUARD
setsid $writer & setsid sh $work/guard.sh \$! & sleep 0.5
END
leaves_nobody "one that is always another process" "wrote no results" <<END
cat >$work/chain.sh <<'CHAIN'
echo . >>$log
[ -e $work/end ] || setsid sh $work/chain.sh &
CHAIN
setsid sh $work/chain.sh & sleep 0.5
END
touch "$work/end"

# Who stands between may be killed or stopped: then tfx ends the rest.
leaves_nobody "one that kills its parent" "stopped with an error: Killed" <<END
setsid $writer & sleep 0.3; kill -KILL \$PPID; sleep 60
END
leaves_nobody "one that stops its parent" "stopped with an error: Killed" <<END
setsid $writer & sleep 0.3; kill -STOP \$PPID; sleep 60
END
leaves_nobody "one that asks its parent to end" "stopped with an error: Killed" <<END
setsid $writer & sleep 0.3; kill -INT \$PPID; kill -HUP \$PPID; kill -TERM \$PPID; sleep 60
END

# ended_by SIGNAL: a program with a daemon runs, and tfx gets the signal; its status is in $status.
ended_by() {
  program "$work/program.sh" <<<"(setsid $writer &) ; sleep 60"
  "$tfx" grade softmax --run "sh $work/program.sh" >/dev/null 2>&1 &
  pid=$!
  for _ in {1..50}; do [[ -s $log ]] && break || sleep 0.1; done
  kill "-$1" $pid
  wait $pid 2>/dev/null
  status=$?
  sleep 0.3 # after SIGKILL nobody is there to wait for
}
ended_by INT
check "Ctrl-C is status 130" test $status = 130
check "and ends the daemons too" is_over
end_writers
ended_by KILL
check "tfx is killed" test $status = 137
check "and nothing lives on" is_over
check "not even what stood between" test "$(pgrep -fc "grade softmax --run sh $work/")" = 0
end_writers

# What a shell left to tfx is none of the program's.
bash -c "$writer & setsid $writer & while [ ! -s '$log' ]; do sleep 0.1; done; exec '$tfx' grade softmax --run 'sh -c \"kill -KILL \\\$PPID\"'" >/dev/null 2>&1
still_writes() { [[ -s $log ]] && ! is_over; }
check "children that tfx had before live on" still_writes
end_writers

# --- nor processes without end ----------------------------------------------------------------------------------------

program "$work/many.sh" <<'END'
i=0; while [ $((i += 1)) -le 300 ]; do sleep 30 & done; wait
END
shows "300 at once" 1 "more than 256 processes" --lang en grade softmax --run "sh $work/many.sh"
shows "in Chinese" 1 "超过 256 个进程" --lang zh grade softmax --run "sh $work/many.sh"
shows "and in JSON" 1 '"trouble": "too_many"' grade softmax --run "sh $work/many.sh" --json
program "$work/bomb.sh" <<END
echo . >>$log
[ \$1 = 0 ] && exec sleep 30
setsid sh $work/bomb.sh \$((\$1 - 1)) & setsid sh $work/bomb.sh \$((\$1 - 1)) & exec sleep 30
END
shows "each starts two" 1 "more than 256 processes" --lang en grade softmax --run "sh $work/bomb.sh 9"
check "and none of them is left" is_over
end_writers
program "$work/few.sh" <<'END'
i=0; while [ $((i += 1)) -le 200 ]; do sleep 0.3 & done; wait
END
shows "200 are not too many" 1 "wrote no results" --lang en grade softmax --run "sh $work/few.sh"

# --- a folder of its own ----------------------------------------------------------------------------------------------

mkdir hand bin
ln -s "$tfx" bin/tfx
echo 'the answer of bob' >hand/bob.py
program hand/ada.py <<END
{
  pwd; ls -A; env | grep -v '^PATH='; echo "\$0"; echo "descriptors" /proc/self/fd/*
  command -v tfx; readlink /proc/\$PPID/cwd; cat bob.py; echo "PATH \$PATH"
} >$work/seen 2>&1
END
# look ARGUMENT…: what the program of a hand-in sees, in $seen, of a tfx that has a file open and itself in PATH.
look() {
  rm -f "$work/seen"
  (cd hand && TFX_HIDDEN=1 OLDPWD=$work/here PATH=$work/here/bin:$PATH "$tfx" --lang en grade "$@" 7<bob.py >"$work/out" 2>"$work/err")
  slurp "$work/seen"
  seen=$text
}
has() { [[ $seen == *"$1"* ]]; }
lacks() { [[ -n $seen && $seen != *"$1"* ]]; }

echo ada,1 >class.csv
look softmax --class . --roster ../class.csv --out ../grades.csv --python sh
check "a hand-in of a class is graded" grep -q '^ada,0,.*,no_results' grades.csv
check "in a folder with itself and its inputs" has $'\nada.py\ninputs.npz\n'
check "that is its place for temporary files" has $'\nTMPDIR='"$TMPDIR/tfx-"
check "nothing says where it comes from" lacks "$work/here"
check "it does not find its neighbours" lacks "the answer of bob"
check "nor an open file" lacks fd/7
check "nor tfx" lacks "/tfx"$'\n'
check "nor how tfx is set" lacks TFX_HIDDEN
look ada.py --python sh
check "a program of one's own is copied too" has $'\nada.py\ninputs.npz\n'
check "but may import its neighbours" has "PYTHONPATH=$work/here/hand"
for kept in HOME= LC_ALL=C.UTF-8 /usr/bin; do check "it keeps $kept" has "$kept"; done
look softmax --run "sh ada.py"
check "a command runs where it is typed" has "the answer of bob"
check "without a file of tfx's" lacks fd/7
mkdir sub "$work/interpreter"
ln -s "$(command -v sh)" "$work/interpreter/my sh"
cp hand/ada.py "sub/-ada.py"
(cd sub && "$tfx" --lang en grade --python "../../interpreter/my sh" -- -ada.py >/dev/null 2>&1)
slurp "$work/seen"
seen=$text
check "an interpreter by a path from here, and a dash" has "/-ada.py"

python=
for candidate in python3 /usr/bin/python3; do
  if "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate && break; fi
done
if [[ -n $python ]]; then
  printf 'def own():\n    return 1\n' >hand/friend.py
  program hand/ada.py <<<$'import friend\nfriend.own()\nraise SystemExit("imported")'
  shows "a module beside one's own program" 1 "imported" --lang en grade hand/ada.py --python "$python"
  run --lang en grade softmax --class hand --roster class.csv --out grades.csv --python "$python"
  check "is not there in a class" grep -q "ada,0,.*No module named 'friend'" grades.csv
  program hand/ada.py <<<$'def f():\n    return undefined\nf()'
  shows_match "an error names the line of the file" 1 "line 3: NameError" --lang en grade hand/ada.py --python "$python"
fi

# --- a program that writes its own file -------------------------------------------------------------------------------

# watched SECONDS: how often --watch grades self.py in that time, in $times.
watched() {
  "$tfx" --lang en grade self.py --watch --python sh >"$work/out" 2>&1 &
  pid=$!
  sleep "$1"
  if [[ -n ${2-} ]]; then echo "# saved" >>self.py && sleep "$2"; fi
  kill -INT $pid
  wait $pid
  times=$(wc -l <"$work/times")
  rm "$work/times"
}
program self.py <<END
echo . >>$work/times; echo '# again' >>"\$0"
END
watched 2
check "by its name: it is graded once" test "$times" = 1
program self.py <<END
echo . >>$work/times; echo '# again' >>$work/here/self.py
END
watched 2.5
check "by its path: twice" test "$times" = 2
check "and it is said" grep -q "its program writes it" "$work/out"
watched 2 2
check "a save after that is seen" test "$times" -gt 2 -a "$times" -le 4

finish
