#!/usr/bin/env bash
# Trainings that are stopped or killed at random moments and go on with the command that they print: the last
# checkpoint is that of the training that nobody disturbed, byte for byte.
#   tests/extended/interrupts.sh BINARY [SIGNALS]
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
wanted=${2:-100}
RANDOM=20260101 # the moments still depend on the machine

options=(train --d-model 16 --d-ff 16 --heads 2 --layers 1 --batch 4 --dropout 0.1 --held-out 4 --threads 1
  --steps 600)
every=(--save-every 7)
now() { echo "${EPOCHREALTIME/[^0-9]/}"; }
start=$(now)
"$tfx" "${options[@]}" "${every[@]}" --out straight.safetensors --log straight.csv >/dev/null 2>&1
took=$(($(now) - start)) # microseconds

mkdir path
ln -s "$tfx" path/tfx
PATH=$work/here/path:$PATH

interrupted=0 killed=0 lives=0
# attempt: one training, disturbed until it is through.
attempt() {
  local signal pid code moment command=("${options[@]}" "${every[@]}" --out "it's \$one.safetensors" --log log.csv) pasted=""
  rm -f "it's \$one.safetensors"* log.csv
  for ((;;)); do
    if [[ -n $pasted ]]; then
      bash -c "exec $pasted" >"$work/out" 2>"$work/err" </dev/null &
    else
      "$tfx" "${command[@]}" >"$work/out" 2>"$work/err" </dev/null &
    fi
    pid=$!
    signal=$(((RANDOM % 3) + 1))
    if ((interrupted + killed >= wanted)); then signal=0; fi
    moment=$(((RANDOM << 15 | RANDOM) % (took / 2)))
    sleep "$((moment / 1000000)).$(printf %06d $((moment % 1000000)))"
    case $signal in
      1) kill -INT $pid 2>/dev/null ;;
      2) kill -TERM $pid 2>/dev/null ;;
      3) kill -KILL $pid 2>/dev/null ;;
    esac
    code=0
    wait $pid 2>/dev/null || code=$?
    case $code in
      0) break ;;
      130 | 143)
        # a signal before or after the steps ends the process as it would without us
        if grep -q 'tfx train --resume' "$work/err"; then
          interrupted=$((interrupted + 1))
          pasted=$(grep -o 'tfx train --resume.*' "$work/err")
          continue
        fi
        ;;
      137) killed=$((killed + 1)) ;;
      *) not_ok "a training that is disturbed" "status $code: $(first_lines "$work/err")" && return 1 ;;
    esac
    pasted=""
    if [[ -e "it's \$one.safetensors" ]]; then
      command=(train --resume "it's \$one.safetensors" --steps 600 "${every[@]}" --held-out 4 --threads 1 --log log.csv)
    else
      command=("${options[@]}" "${every[@]}" --out "it's \$one.safetensors" --log log.csv)
    fi
  done
  lives=$((lives + 1))
  cmp -s "it's \$one.safetensors" straight.safetensors && cmp -s log.csv straight.csv
}
different=0
while ((interrupted + killed < wanted && lives < 2 * wanted)); do
  attempt || different=$((different + 1))
done
check "signals in trainings: $interrupted stopped, $killed killed, $lives trainings, $different of them end otherwise" \
  test $different = 0 -a $((interrupted + killed)) -ge "$wanted" -a $interrupted -gt 10 -a $killed -gt 10
count "trainings stopped and resumed" $interrupted
count "trainings killed and resumed" $killed
count "trainings that end in other weights" $different

# A second signal, of whichever kind, ends a training at once: here within a step that takes minutes.
for pair in "INT INT 130" "INT TERM 143" "TERM INT 130" "TERM TERM 143"; do
  read -r first second code <<<"$pair"
  rm -f slow.csv
  "$tfx" "${options[@]}" --accumulate 200000 --out slow.safetensors --log slow.csv >/dev/null 2>"$work/err" </dev/null &
  pid=$!
  for _ in {1..200}; do if [[ -s slow.csv ]]; then break; fi; sleep 0.05; done # then it is about to begin
  sleep 1
  kill "-$first" $pid
  sleep 0.5
  check "SIG$first: the training goes on to the end of its step" kill -0 $pid
  kill "-$second" $pid
  for _ in {1..100}; do if ! kill -0 $pid 2>/dev/null; then break; fi; sleep 0.05; done
  kill -KILL $pid 2>/dev/null
  got=0
  wait $pid || got=$?
  check "SIG$second after SIG$first ends it at once with $code" test $got = "$code" -a ! -e slow.safetensors
done

finish
