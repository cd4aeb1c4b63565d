#!/usr/bin/env bash
# tfx train: it learns, repeats, stops and goes on; files, refusals, widths.
#   tests/cli/train.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
little=(--d-model 16 --d-ff 16 --heads 2 --layers 1 --batch 4 --held-out 8 --threads 1)

# members FILE KEY…: lines of a JSON file with those keys.
losses() { sed -n '/"losses"/,/\]/p' "$1"; }

shows "a few steps" 0 "✓ the loss falls" train "${little[@]}" --steps 40 --lang en
check "progress stands on stderr" grep -q "40/40" "$work/err"
check "no progress on stdout" test "$(grep -c "40/40" "$work/out")" = 0
shows "in Chinese" 0 "✓ 损失" train "${little[@]}" --steps 40 --lang zh
for task in copy reverse numbers-zh; do
  shows "task $task" 0 "lesson 15" train --task "$task" "${little[@]}" --steps 3 --lang en
done
printf 'eins\tone\nzwei\ttwo\ndrei\tthree\n' >pairs.tsv
shows "own pairs" 0 "Your own pairs" train --pairs pairs.tsv "${little[@]}" --steps 3 --lang en
shows "a control answers nothing" 0 "✓ the control answers" train --task reverse --shuffle-targets "${little[@]}" --steps 3 --lang en
shows_match "what is measured stands in a table" 0 "training loss +held-out loss +right" train "${little[@]}" --steps 8 --lang en
shows_match "attention forms, a picture a moment" 0 "step 0 step 2 step 4" train "${little[@]}" --steps 16 --lang en
check "the last of them after all steps" grep -q "step 16$" "$work/out"
shows_match "few examples are learned by heart" 0 "learns its examples by heart" train "${little[@]}" --examples 2 --steps 300 --lr 0.01 --lang en
shows "as in Chinese" 0 "过拟合" train "${little[@]}" --examples 2 --steps 300 --lr 0.01 --lang zh
shows "a training that diverges says so" 1 "The loss rose to" train "${little[@]}" --steps 40 --lr 100 --clip 0 --lang en
shows_match "one that is no number any more names where and when" 65 "loss of step [0-9]+ is no number.* First NaN or infinite: [a-z_.0-9]+[a-z]" \
  train --steps 5 --lr 1e5 --warmup 0 --clip 0 --held-out 8 --lang en
shows "--quiet says nothing on stderr" 0 "lesson 15" train "${little[@]}" --steps 3 --quiet --lang en
check "stderr is empty" test ! -s "$work/err"

run train "${little[@]}" --steps 12 --json --no-time --quiet
cp "$work/out" "$work/straight"
run train "${little[@]}" --steps 12 --json --no-time --quiet
check "equal runs print equal bytes" cmp -s "$work/straight" "$work/out"
run train "${little[@]}" --steps 5 --out half.safetensors --quiet
run train --resume half.safetensors --steps 12 --json --no-time --quiet --threads 1 --held-out 8
check "5 steps and 7 more = 12 steps" test -n "$(losses "$work/out")" -a \
  "$(losses "$work/out")" = "$(losses "$work/straight")"
check "the one before stays as .prev" test -s half.safetensors.prev
shows "options of the checkpoint may be repeated" 0 "lesson 15" \
  train --resume half.safetensors --steps 13 --batch 4 --d-model 16 --seed 42 --lang en --quiet
shows "other options are refused" 2 "trained with batch 4, not 5" \
  train --resume half.safetensors --batch 5 --lang en
shows "other shapes are refused" 2 "d_model 16, not 32" train --resume half.safetensors --d-model 32 --lang en
shows "another task is refused" 2 "task copy, not reverse" train --resume half.safetensors --task reverse --lang en
shows "a checkpoint decodes" 0 "lesson 16" decode --model half.safetensors --lang en
shows "and is a model" 0 "log_probs" model --weights half.safetensors --lang en

# stopped NAME SIGNAL STATUS: a training that is told to stop saves, and says how to go on.
stopped() {
  local name=$1 signal=$2 wanted=$3 pid code=0
  rm -f stop.safetensors "$work/err"
  # Started under nohup this script ignores SIGHUP, and so would tfx.
  env --default-signal=HUP "$tfx" train "${little[@]}" --steps 2000 --out stop.safetensors --lang en >"$work/out" 2>"$work/err" </dev/null &
  pid=$!
  for _ in {1..400}; do # its first line comes after a twentieth of the steps
    if grep -qs "tokens/s" "$work/err"; then break; fi
    sleep 0.05
  done
  kill "-$signal" "$pid"
  wait "$pid" || code=$?
  check "$name ends with $wanted" test "$code" = "$wanted"
  check "$name says how to go on" grep -q "tfx train --resume stop.safetensors --steps 2000" "$work/err"
  check "$name saves" test -s stop.safetensors
  check "$name keeps what the file does not hold" grep -q -e "--held-out 8 --threads 1" "$work/err"
}
stopped "SIGINT" INT 130
stopped "SIGTERM" TERM 143
stopped "SIGHUP" HUP 129

# A second signal ends it within a step, here one of minutes, also where it is of the other kind.
rm -f log.csv
"$tfx" train "${little[@]}" --accumulate 100000 --out slow.safetensors --log log.csv >/dev/null 2>&1 </dev/null &
pid=$!
for _ in {1..200}; do if [[ -s log.csv ]]; then break; fi; sleep 0.05; done # then it is about to begin
sleep 1
kill -INT $pid
sleep 0.2
kill -TERM $pid
for _ in {1..100}; do if ! kill -0 $pid 2>/dev/null; then break; fi; sleep 0.05; done
kill -KILL $pid 2>/dev/null
code=0
wait $pid || code=$?
check "SIGTERM after SIGINT ends it at once" test $code = 143 -a ! -e slow.safetensors
rm -f log.csv

# background ARGUMENT…: a training of many steps, its process in $pid; it has begun when its log has a row.
background() {
  rm -f log.csv
  "$tfx" train "${little[@]}" --steps 1000000 --quiet --log log.csv --lang en "$@" >/dev/null 2>"$work/background" </dev/null &
  pid=$!
  for _ in {1..400}; do if (($(wc -l 2>/dev/null <log.csv || echo 0) > 1)); then break; fi; sleep 0.05; done
}
# ended SIGNAL: its status is left in $code.
ended() {
  kill "-$1" "$pid"
  code=0
  wait "$pid" || code=$?
}
(trap '' HUP && exec "$tfx" train "${little[@]}" --steps 1000000 --quiet --log nohup.csv >/dev/null 2>&1 </dev/null) &
pid=$!
for _ in {1..400}; do if [[ -s nohup.csv ]]; then break; fi; sleep 0.05; done
kill -HUP $pid
sleep 0.3
check "under nohup it goes on" kill -0 $pid
kill -KILL $pid
wait $pid 2>/dev/null

# --- its page as a document -----------------------------------------------------------------------------------------

run train "${little[@]}" --steps 4 --no-time --out saved.safetensors --save saved.html --lang en
cp "$work/out" page
check "--save leaves the page as it is" grep -q "Attention forms" page
for shown in "Loss of a token in nats" "Attention forms" "training loss" "alignment_4" "tfx train --layers 1"; do
  check "the document has $shown" grep -q -- "$shown" saved.html
done
"$tfx" train "${little[@]}" --steps 4 --no-time --save saved.json --json --out saved.safetensors >document 2>/dev/null
check "a .json is what --json prints" cmp -s document saved.json
run train "${little[@]}" --steps 4 --no-time --quiet --out saved.safetensors --lang en
check "--quiet has no curve, no looks" bash -c '! grep -q -e "Loss of a token" -e "^look" -e "Attention forms" "$1"' - "$work/out"
check "but what was trained, and its cost" grep -q "^cost     parameters" "$work/out"
shows "a page is no .npz, told before the training" 2 '--save does not know what to write to "page.npz"' \
  train "${little[@]}" --steps 1000000 --save page.npz --lang en
mkdir gone
(until [[ -s gone.csv ]]; do sleep 0.02; done && rm -r gone) &
run train "${little[@]}" --steps 3000 --quiet --log gone.csv --out saved.safetensors --save gone/page.html --lang en
check "a page that cannot be written leaves the screen" grep -q "^cost" "$work/out"
check "with the status of what was not written" test "$status" = 73
check "and says so" grep -q "gone/page.html" "$work/err"
shows "nor is a file without a name" 2 '--save does not know what to write to ".html"' \
  train "${little[@]}" --steps 1000000 --save .html --lang en
run train --resume saved.safetensors --steps 4 --save again.html --quiet --lang en
check "where nothing is left to do there is no time" bash -c 'grep -q "^cost" "$1" && ! grep -q " ms" "$1"' - "$work/out"
check "a quiet document has no curve" bash -c '! grep -q -e "<svg" -e "Loss of a token" again.html'
shows "the log is no page" 2 "contradict" train "${little[@]}" --steps 1 --log both.csv --save both.csv --lang en

# Without --out it is saved where nothing was.
echo older >tfx-train-copy.safetensors
background
ended INT
check "without --out no older file is replaced" grep -qx older tfx-train-copy.safetensors
check "but one beside it made, and named" test -s tfx-train-copy-2.safetensors -a "$code" = 130
check "in the command that goes on" grep -q -- "--resume tfx-train-copy-2.safetensors" "$work/background"

# Two trainings write no file together. What was killed above has left its locks.
rm -f .tfx*
background --out shared.safetensors
shows_match "a second training on one --out is told who writes it" 73 "shared.safetensors: another tfx is writing it, process $pid" \
  train "${little[@]}" --steps 1 --out ./shared.safetensors --lang en
shows_match "in Chinese" 73 "另一个 tfx 正在写它，进程 $pid" train "${little[@]}" --steps 1 --out shared.safetensors --lang zh
rows=$(wc -l <log.csv)
shows_match "and on one --log" 73 "log.csv: another tfx is writing it" train "${little[@]}" --steps 1 --log log.csv --lang en
check "which keeps its rows" test "$(wc -l <log.csv)" -ge "$rows"
ended KILL
shows "after a kill nothing is in the way" 0 "lesson 15" train "${little[@]}" --steps 1 --out shared.safetensors --log log.csv --quiet --lang en
check "and no lock is left" test "$(find . -name '.tfx*' | wc -l)" = 0

# Every few minutes it is saved by itself: here by a clock that runs a thousand times faster.
cat >clock.c <<'END'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <time.h>
int clock_gettime(clockid_t id, struct timespec* t) {
  static int (*real)(clockid_t, struct timespec*);
  if (!real) real = (int (*)(clockid_t, struct timespec*))dlsym(RTLD_NEXT, "clock_gettime");
  const int status = real(id, t);
  if (id == CLOCK_MONOTONIC) t->tv_sec = t->tv_sec * 1000 + t->tv_nsec / 1000000, t->tv_nsec = 0;
  return status;
}
END
if cc -shared -fPIC -o clock.so clock.c -ldl 2>/dev/null; then
  LD_PRELOAD=$PWD/clock.so background --out minutes.safetensors
  for _ in {1..100}; do if [[ -e minutes.safetensors.prev ]]; then break; fi; sleep 0.05; done
  check "without --save-every it is saved every few minutes" test -s minutes.safetensors -a -s minutes.safetensors.prev
  ended KILL
else
  ok "the clock is left out: no C compiler here"
fi
rm -f .tfx*

# Killed wherever it may be: the file is the old one or the new one, and goes on to the same losses.
run train "${little[@]}" --steps 200 --json --no-time --quiet
cp "$work/out" "$work/straight"
rm -f killed.safetensors*
for round in {1..20}; do
  if [[ -e killed.safetensors ]]; then resume=(--resume killed.safetensors --held-out 8 --threads 1); else resume=("${little[@]}" --out killed.safetensors); fi
  "$tfx" train "${resume[@]}" --steps 200 --save-every 1 --quiet >/dev/null 2>&1 </dev/null &
  pid=$!
  sleep "0.$((100 + 7 * round))"
  if ((round % 2)); then kill -KILL "$pid" 2>/dev/null; else kill -INT "$pid" 2>/dev/null; fi
  wait "$pid" 2>/dev/null
done
run train --resume killed.safetensors --steps 200 --json --no-time --quiet --threads 1 --held-out 8
check "killed or stopped 20 times = straight" test -n "$(losses "$work/out")" -a \
  "$(losses "$work/out")" = "$(losses "$work/straight")"

shows "--log writes a row a step" 0 "lesson 15" train "${little[@]}" --steps 6 --log log.csv --out l.safetensors --quiet --lang en
check "six rows" test "$(wc -l <log.csv)" = 7
shows "--log goes on" 0 "lesson 15" train --resume l.safetensors --steps 9 --log log.csv --quiet --lang en
check "nine rows" test "$(wc -l <log.csv)" = 10 -a "$(tail -1 log.csv | cut -d, -f1)" = 9

printf 'my,own,notes\n1,2,3\n' >notes.csv
shows "--log leaves another table alone" 65 "not that of a training's log" \
  train --resume l.safetensors --steps 10 --log notes.csv --lang en
check "which is as it was" grep -qx 'my,own,notes' notes.csv
printf '3,x\n' >>log.csv
shows "--log drops half a row" 0 "lesson 15" train --resume l.safetensors --steps 10 --log log.csv --quiet --lang en
check "ten whole rows" test "$(wc -l <log.csv)" = 11 -a "$(grep -c x log.csv)" = 0

# The command to decode with is there to be pasted, whatever the file and the words are called.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do printf "\$(touch pwned) it's %s\tx y\n" $i; done >'my pairs.tsv'
shows "words of a shell" 0 "--shuffle-targets" train --pairs 'my pairs.tsv' "${little[@]}" --steps 2 \
  --out 'a $HOME.safetensors' --quiet --lang en
sed -n 's/^.*\(tfx decode .*\)$/\1/p' "$work/out" >"$work/pasted"
(PATH=${tfx%/*}:$PATH && . "$work/pasted") >"$work/answer" 2>&1
check "the command can be pasted" grep -q "x" "$work/answer"
check "and runs nothing else" test -s "$work/pasted" -a ! -e pwned
sed -n 's/^.*\(tfx train --pairs .*\)$/\1/p' "$work/out" >"$work/pasted"
check "the control's data are those pairs" grep -q "tfx train --pairs 'my pairs.tsv' --shuffle-targets" "$work/pasted"

# Another program's file may be without a checksum. The new word is as long, so that the file stays whole.
run train --task reverse "${little[@]}" --steps 2 --out other.safetensors --quiet
LC_ALL=C sed -i 's/"sealed"/"SEALED"/; s/"crc32"/"CRC32"/; s/"reverse"/"rewerse"/g' other.safetensors
shows "a checkpoint that names no task of ours" 65 "other.safetensors: " train --resume other.safetensors --steps 3 --lang en

shows "weights alone" 0 "lesson 15" train "${little[@]}" --steps 2 --weights-out w.safetensors --quiet --lang en
shows "weights are no checkpoint" 65 "no checkpoint of a training" train --resume w.safetensors --lang en
shows "no such checkpoint" 66 "cannot open" train --resume nowhere.safetensors --lang en
printf 'x' >bad.safetensors
shows "a damaged checkpoint" 65 "bad.safetensors" train --resume bad.safetensors --lang en
head -c 3000 half.safetensors >cut.safetensors
shows "half a checkpoint" 65 "cut.safetensors" train --resume cut.safetensors --lang en
shows "heads that do not divide" 65 "heads" train --d-model 10 --heads 3 --steps 1 --lang en
shows "a model beyond memory" 71 "" train --d-model 900000 --heads 1 --layers 900 --steps 1 --lang en
shows "a folder that is not there" 73 "cannot write" train "${little[@]}" --steps 1 --out no/where.safetensors --lang en
shows "two tasks" 2 "contradict" train --task copy --pairs pairs.tsv --lang en
shows "tokens without pairs" 2 "--pairs" train --src-tokens words --lang en
shows "a training that diverges says so" 65 "diverged" train "${little[@]}" --steps 200 --lr 1 --warmup 0 --weight-decay 1e6 --quiet --lang en
shows "no such task" 2 "copy|reverse|numbers-zh" train --task revers --lang en
shows "no such file of pairs" 66 "none.tsv" train --pairs none.tsv --lang en
for option in --steps --batch --layers --d-model --heads --d-ff --accumulate --save-every --measure-every; do
  run train "$option" 0 # what is no number at all is tests/cli/options.sh's
  check "$option 0" test "$status" = 2
done

for width in 40 80 120; do
  run train "${little[@]}" --steps 20 --width "$width" --quiet --lang zh
  check "fits in $width columns" test "$status" = 0
done
run train "${little[@]}" --steps 20 --ascii --no-time --quiet --lang en
check "--ascii is ASCII" test "$(LC_ALL=C grep -c '[^ -~]' "$work/out")" = 0
if [[ -e /dev/full ]]; then
  "$tfx" train "${little[@]}" --steps 2 --quiet >/dev/full 2>/dev/null
  check "a full disk is no success" test $? = 74
fi
# --- the paper's schedule: a factor, not a rate ----------------------------------------------------------------------

shows "the factor of --schedule warmup is 1" 0 "the learning rate is 1·d_model" \
  train --task reverse --schedule warmup --steps 1 --held-out 1 --lang en
shows "and what --lr is there is said" 0 "is what --lr gives here" \
  train --task reverse --schedule warmup --steps 1 --held-out 1 --lang en --width 200
run train --task reverse --schedule warmup --lr 0.5 --steps 1 --held-out 1 --out factor.safetensors
shows "a resumed training keeps its factor" 0 "the learning rate is 0.5·d_model" \
  train --resume factor.safetensors --schedule warmup --steps 2 --held-out 1 --lang en

finish
