#!/usr/bin/env bash
# Little memory: with any limit on the address space, and with any one allocation refused, a run gives its answer or ends
# with 71 and a message. Shapes beyond memory are refused before anything is taken.
#   tests/extended/memory.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
needs g++
make_samples

# limited KILOBYTES ARGUMENT…: tfx in so much address space.
limited() {
  (
    ulimit -v "$1" || exit
    shift
    timeout 60 "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
    exit $?
  ) 2>/dev/null
  status=$?
}

# fair NAME: the run gave its answer, or 71 with a message and nothing else. Before main the loader may give up (127).
fair() {
  if ((status == 0)); then
    answered=$((answered + 1))
  elif ((status == 71)) && [[ $(<"$work/err") == "tfx: "* && ! -s $work/out ]]; then
    refused=$((refused + 1))
  elif ((status == 127)); then
    unloaded=$((unloaded + 1))
  else
    not_ok "$1" "status $status: $(first_lines "$work/err")"
  fi
}

commands=(softmax "multihead --save run.npz" "attention --n-q 300 --d-model 300 --quiet" "explain masked weights 1 3"
  "model ${little[*]} --vocab 11 --src 1,2,3 --tgt 1,2 --save run.npz" "scores --weights sample.npz"
  "train ${little[*]} --batch 2 --held-out 2 --steps 2 --threads 2 --quiet --out run.safetensors"
  "decode --model sample.safetensors" "decode" "cache" "params" "params sample.safetensors" "doctor"
  "bench attention --seq 64 --d-model 8 --heads 2 --batch 1 --repeat 1 --warmup 0 --threads 2" "")

# --- limits on the address space -------------------------------------------------------------------------------------

answered=0 refused=0 unloaded=0
sizes=({1000..20000..5000} {25000..70000..1500} {75000..200000..5000} {150000..160000..1000} {220000..500000..20000} {600000..1500000..100000})
for command in "${commands[@]}"; do
  read -ra arguments <<<"$command"
  for kilobytes in "${sizes[@]}"; do
    limited "$kilobytes" --version
    if ((status != 0)); then # the program itself cannot be loaded: not ours to report
      unloaded=$((unloaded + 1))
      continue
    fi
    limited "$kilobytes" "${arguments[@]}"
    if [[ $command == doctor ]] && ((status == 1)); then status=0; fi # it advises
    fair "tfx $command in $kilobytes kB"
  done
  check "tfx $command in $kilobytes kB is answered" test $status = 0
done
check "limited memory: $answered answered, $refused refused, $unloaded not loaded" test $failed = 0 -a $refused -gt 100 \
  -a $answered -gt 100
count "runs with limited memory" $((answered + refused))
count "runs with limited memory that were refused with status 71" $refused

# --- a little less and a little more than a run needs ----------------------------------------------------------------------

# address_space_of ARGUMENT…: kB that a run of tfx without a limit takes, into $taken: the most of three, as on a busy
# machine one may end between two looks.
address_space_of() {
  local line
  taken=0
  for _ in 1 2 3; do
    "$tfx" "$@" >/dev/null 2>&1 </dev/null &
    while line=$(grep VmPeak "/proc/$!/status" 2>/dev/null); do
      line=${line//[^0-9]/}
      taken=$((line > taken ? line : taken))
    done
    wait $! || : # a wrong answer, or none
  done
}

# around NAME ARGUMENT…: within some per cent of what it needs a run is refused with its estimate, or gives its answer.
steps=0
around() {
  local name=$1 percent
  shift
  address_space_of "$@"
  for percent in 75 80 85 90 95 100 105 110; do
    steps=$((steps + 1))
    limited $((taken * percent / 100)) "$@"
    if ((status == 71 && percent < 110)) && grep -Eq 'needs about .* of (memory|address space)' "$work/err"; then continue; fi
    if ((status > 1)); then not_ok "tfx $name in $percent % of its $taken kB" "status $status: $(first_lines "$work/err")"; fi
  done
}
tokens=(--text "$(seq -f 'w%g' -s ' ' 1000)")
for lesson in words lookup scores softmax attention sdpa masked multihead block loss embed rope modern; do
  around "$lesson" "$lesson" --quiet "${tokens[@]}"
done
around cross cross --quiet --n-q 1000 --n-k 1000
around "masked --batch" masked --quiet --n-q 500 --batch 4
around "multihead --heads" multihead --quiet --n-q 500 --d-model 8 --heads 4 --causal --pad 3
around "masked --grad" masked --grad --quiet "${tokens[@]}"
around "block --grad" block --grad --quiet "${tokens[@]}"
around "train step" train step --quiet --n-k 300 --d-model 300 --batch 4
around "model" model --quiet --preset base --src 1,2,3 --tgt 1,2
around "quiz masked" quiz masked --count 3 "${tokens[@]}"
"$tfx" masked "${tokens[@]}" --seed 7 --show weights --save weights.npz --quiet >/dev/null
around "check masked, wrong" check masked weights.npz "${tokens[@]}"
around "check masked, right" check masked weights.npz "${tokens[@]}" --seed 7
around "break masked" break masked "${tokens[@]}"
check "around what a run needs: $steps limits" test $failed = 0
count "limits on memory within some per cent of a run's need" $steps

# --- allocations that fail -------------------------------------------------------------------------------------------

# Each call of malloc after main has begun, in turn; of many calls some, evenly.
cat >"$work/failing.cpp" <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
static long counted = 0, wanted = 0;
static bool counts = false;
extern "C" void* __libc_malloc(size_t);
extern "C" void* malloc(size_t size) {
  if (counts && __atomic_add_fetch(&counted, 1, __ATOMIC_RELAXED) == wanted) return nullptr;
  return __libc_malloc(size);
}
// tfx calls it first of all.
extern "C" void (*signal(int number, void (*handler)(int)))(int) {
  static auto real = (void (*(*)(int, void (*)(int)))(int))dlsym(RTLD_NEXT, "signal");
  if (const char* text = getenv("FAILING_MALLOC")) wanted = atol(text), counts = true;
  return real(number, handler);
}
__attribute__((destructor)) static void report() {
  if (const char* file = getenv("COUNT_MALLOC")) {
    counts = false;
    FILE* out = fopen(file, "w");
    if (out) fprintf(out, "%ld", counted), fclose(out);
  }
}
END
answered=0 refused=0 unloaded=0
if g++ -shared -fPIC -O1 -o "$work/failing.so" "$work/failing.cpp" -ldl 2>"$work/err"; then
  for command in softmax "scores --x sample.csv" "multihead --save run.npz" "explain masked weights 1 3 --json" \
    "model ${little[*]} --vocab 11 --src 1,2,3 --tgt 1,2" "decode --model sample.safetensors" "params sample.npz" "bad --option" \
    "train ${little[*]} --batch 2 --held-out 2 --steps 2 --threads 2 --quiet --out run.safetensors"; do
    read -ra arguments <<<"$command"
    COUNT_MALLOC=$work/total FAILING_MALLOC=0 LD_PRELOAD=$work/failing.so "$tfx" "${arguments[@]}" >/dev/null 2>&1 </dev/null
    total=$(<"$work/total")
    check "tfx $command allocates: $total" test "$total" -gt 100
    for ((nth = 1; nth <= total; nth += nth < 20 ? 1 : total / 400 + 1)); do
      (
        FAILING_MALLOC=$nth LD_PRELOAD=$work/failing.so timeout 60 "$tfx" "${arguments[@]}" \
          >"$work/out" 2>"$work/err" </dev/null
        exit $?
      ) 2>/dev/null
      status=$?
      if [[ $command == bad* ]] && ((status == 2)); then status=0; fi
      fair "tfx $command without allocation $nth of $total"
    done
  done
else
  not_ok "the library that refuses memory" "$(first_lines "$work/err")"
fi
check "failing allocations: $answered answered, $refused refused" test $failed = 0 -a $((answered + refused)) -gt 500
count "allocations that failed" $((answered + refused))

# --- shapes beyond memory --------------------------------------------------------------------------------------------

# beyond ARGUMENT…: 71 with an estimate, at once, in little memory itself.
shapes=0
beyond() {
  shapes=$((shapes + 1))
  (
    ulimit -v 2000000
    timeout 10 "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
  )
  status=$?
  if ((status != 71)) || ! grep -Eq 'needs about .* of memory' "$work/err"; then
    not_ok "$(name_of "$@")" "status $status: $(first_lines "$work/err")"
  fi
}
big=1000000000
for lesson in scores softmax attention sdpa masked multihead rope; do
  for option in --d-model --n-q --batch; do beyond $lesson $option $big; done
  beyond $lesson --batch $big --n-q $big --d-model $big
done
beyond cross --d-model $big
beyond block --d-ff $big
beyond block --d-model $big
for shape in "--d-model $big --heads 1" "--d-ff $big" "--vocab $big" "--layers 1000 --d-model 100000 --heads 1" "--d-model $big --d-ff $big --vocab $big --heads 1"; do
  # shellcheck disable=SC2086 # words
  beyond model $shape --src 1 --tgt 1
  # shellcheck disable=SC2086
  if [[ $shape != *vocab* ]]; then beyond train $shape --steps 1; fi
done
beyond train "${little[@]}" --batch $big --steps 1
beyond train "${little[@]}" --accumulate $big --steps 1
beyond bench attention --seq $big
beyond bench attention --batch $big --seq $big
beyond bench model --seq $big
check "shapes beyond memory: $shapes, each refused with its estimate" test $failed = 0
count "shapes beyond memory refused" $shapes

finish
