#!/usr/bin/env bash
# tfx doctor: what it says of this machine, and what it says when the environment makes tfx slow or unusable. The
# judgement of machines that are not there is in tests/core/machine_test.cpp.
#   tests/cli/doctor.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
unset "${!OPENBLAS_@}" "${!GOTO_@}" "${!TFX_@}" OMP_NUM_THREADS LD_PRELOAD LD_LIBRARY_PATH

# doctor [VARIABLE=VALUE…] [-- ARGUMENT…]: in that environment; the document is in $work/out, the status in $status.
doctor() {
  local variables=()
  while (($# > 0)) && [[ $1 != -- ]]; do
    variables+=("$1")
    shift
  done
  env "${variables[@]}" "$tfx" doctor "${@:2}" >"$work/out" 2>"$work/err" </dev/null
  status=$?
}

has() { grep -Fq -- "$1" "$work/out"; }
warns() { grep -q "\"id\":\"$1\"" "$work/out"; }
warns_not() { ! warns "$1"; }
# expect NAME STATUS ID VARIABLE=VALUE…: that warning and that status; ID "-": none of the kernels.
expect() {
  local name=$1 wanted=$2 id=$3
  shift 3
  doctor "$@" -- --json
  if ((status != wanted)); then
    not_ok "$name" "status $status, not $wanted: $(first_lines "$work/err")"
  elif [[ $id == - ]] && grep -Eq '"id":"(blas|isa)' "$work/out"; then
    not_ok "$name" "warns: $(tail -n 2 "$work/out")"
  elif [[ $id != - ]] && ! warns "$id"; then
    not_ok "$name" "no $id: $(tail -n 2 "$work/out")"
  else
    ok "$name"
  fi
}

# --- this machine ----------------------------------------------------------------------------------------------------

doctor -- --json
cp "$work/out" "$work/plain"
check "status 0 on a machine on which the tests run" test $status = 0
check "the document is well formed" balanced <"$work/out"
check "nothing on stderr" test ! -s "$work/err"
for pattern in '^  "schema_version": 2,$' '^  "command": "doctor",$' '^  "processor": (null|")' \
  '"isa":"(baseline|avx2|avx512)","widest":"(baseline|avx2|avx512)","threads":[0-9]+' '"openblas":true,"version":"[0-9.]+' \
  '"core":"[A-Za-z0-9_]+","file":' '"online":[0-9]+,"usable":[0-9]+,"quota":(null|[0-9.]+)' '"bytes":[0-9]+,"free":[0-9]+,' \
  '^  "environment": \{\},$' '^  "unicode": true,$' '^  "locale": "LC_ALL=C.UTF-8",$' \
  '^  "usable": true,$' '^  "warnings": \['; do
  check "the document has $pattern" grep -Eq -- "$pattern" "$work/out"
done
doctor -- --json --lang zh --color always
check "the document has no words: it is the same in Chinese" \
  test "$(diff "$work/plain" "$work/out" | grep '^[<>]' | grep -vc '"memory"')" = 0

for language in en zh; do
  for width in 80 40 20; do
    doctor -- --lang $language --width $width
    check "the screen in $language fits in $width columns" test "$status" = 0 -a "$(wc -L <"$work/out")" -le $width
  done
  doctor OPENBLAS_CORETYPE=Prescott TFX_ISA=none OPENBLAS_L2_SIZE=1 LC_ALL=zh_CN.GB18030 -- --lang $language
  check "with warnings it fits in 80 columns in $language" test -s "$work/out" -a "$(wc -L <"$work/out")" -le 80
done
doctor -- --lang en --ascii
check "--ascii leaves plain characters" test "$(LC_ALL=C grep -c '[^ -~]' "$work/out")" = 0

# --- kernels ---------------------------------------------------------------------------------------------------------

expect "without OPENBLAS_CORETYPE" 0 -
expect "an empty OPENBLAS_CORETYPE" 0 - OPENBLAS_CORETYPE=
expect "kernels of 2004" 0 blas.variable OPENBLAS_CORETYPE=Prescott
doctor OPENBLAS_CORETYPE=Prescott -- --lang en
check "the screen says the variable" has '  OPENBLAS_CORETYPE=Prescott takes'
check "the screen says what to do" has '→ unset OPENBLAS_CORETYPE'
check "the screen marks the line" grep -q '^! .*OpenBLAS ' "$work/out"

doctor OPENBLAS_L2_SIZE=512 OPENBLAS_NUM_THREADS=2 -- --json
check "OPENBLAS_L2_SIZE is a warning" warns blas.variable
check "the variables are named" has '"OPENBLAS_L2_SIZE":"512","OPENBLAS_NUM_THREADS":"2"'
if ! grep -q '"widest":"baseline"' "$work/plain"; then
  expect "TFX_ISA=baseline" 0 isa.variable TFX_ISA=baseline
  check "it is what the kernels use" has '"isa":"baseline"'
  doctor TFX_ISA=baseline -- --lang zh
  check "and on the screen" has '→ unset TFX_ISA'
fi
expect "TFX_ISA that is no name" 0 isa.variable TFX_ISA=fast
expect "TFX_ISA with the widest" 0 - "TFX_ISA=$(sed -n 's/.*"widest":"\([a-z0-9]*\)".*/\1/p' "$work/plain")"
doctor -- --threads 1 --json
check "--threads is what tfx starts" grep -q '"kernels":.*"threads":1}' "$work/out"
if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
  taskset -c 0 "$tfx" doctor --json >"$work/out"
  check "a process that is bound to one processor may use one" has '"usable":1,'
fi

# --- surroundings ----------------------------------------------------------------------------------------------------

doctor LC_ALL=de_DE.ISO-8859-1 -- --json
check "another character set is a warning" warns locale.ascii
doctor -- --json
check "UTF-8 is none" warns_not locale.ascii
if (ulimit -v 100000 && "$tfx" --version) >/dev/null 2>&1; then
  (ulimit -v 100000 && exec "$tfx" doctor --json) >"$work/out" 2>/dev/null
  status=$?
  check "too little address space: status 1" test $status = 1
  check "too little address space is named" warns memory.workspace
fi
doctor OPENBLAS_CORETYPE=$'\e[31mred\e]0;title\a' TFX_ISA=$'\e[2J' LC_ALL=$'\e[1mx.UTF-8'
check "a variable cannot drive the terminal" test "$(LC_ALL=C grep -c $'[\x01-\x08\x0b-\x1f]' "$work/out")" = 0
doctor OPENBLAS_CORETYPE=$'bad\xff"' -- --json
check "nor break the document" balanced <"$work/out"

# --- where it goes ---------------------------------------------------------------------------------------------------

for arguments in "" --json; do
  # shellcheck disable=SC2086
  "$tfx" doctor $arguments >/dev/full 2>"$work/err"
  status=$?
  check "a full disk is no success: doctor $arguments" test $status = 74 -a -s "$work/err"
done
run doctor extra
check "an argument that has no place is refused" test "$status" = 2
run docter
check "a near miss is suggested" grep -q 'doctor' "$work/err"

finish
