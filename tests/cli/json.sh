#!/usr/bin/env bash
# --json: one document on stdout and nothing else, the same bytes in every locale and terminal, with the head that the
# contract promises.
#   tests/cli/json.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"

lessons=(lookup words qkv scores softmax attention sdpa masked multihead)

kernels=()
for variable in OPENBLAS_CORETYPE OPENBLAS_L2_SIZE; do
  if [[ -v $variable ]]; then kernels+=("$variable=${!variable}"); fi
done

# json NAME ARGUMENT…: runs it, without times; the document is then in $work/out.
json() {
  local name=$1
  shift
  run "$@" --json
  if ((status != 0)) || [[ -s $work/err ]]; then
    not_ok "$name" "status $status: $(first_lines "$work/err")"
    return 1
  fi
}

# same NAME VARIABLE=VALUE… ARGUMENT…: prints $work/reference in that environment too.
same() {
  local name=$1
  shift
  env "$@" >"$work/out" 2>"$work/err" </dev/null
  status=$?
  if ((status != 0)); then
    not_ok "$name" "status $status: $(first_lines "$work/err")"
  elif ! cmp -s "$work/reference" "$work/out"; then
    not_ok "$name" "other bytes: $(cmp "$work/reference" "$work/out" 2>&1)"
  elif [[ -s $work/err ]]; then
    not_ok "$name" "it wrote to stderr: $(first_lines "$work/err")"
  else
    ok "$name"
  fi
}

# everywhere NAME ARGUMENT…
everywhere() {
  local name=$1 variables
  shift
  json "$name" "$@" || return
  mv "$work/out" "$work/reference"
  for variables in LC_ALL=C LC_ALL=POSIX LC_ALL=C.UTF-8 LC_ALL=de_DE.UTF-8 LC_ALL=zh_CN.UTF-8 LC_ALL=zh_CN.GB18030 \
    LC_ALL=nowhere LC_ALL= LC_NUMERIC=de_DE.UTF-8 COLUMNS=40 COLUMNS=200 COLUMNS=1 TERM=dumb TERM=xterm-256color \
    COLORTERM=truecolor NO_COLOR=1 OPENBLAS_NUM_THREADS=2; do
    same "$name with $variables" "$variables" "$tfx" "$@" --json
  done
  # But for the kernels: another set of OpenBLAS's may round the last digit in another way.
  same "$name without an environment" -i "${kernels[@]}" "$tfx" "$@" --json
  for variables in "--color always" "--lang zh" "--lang en" --ascii "--width 40" "--precision 2"; do
    # shellcheck disable=SC2086 # the options are words
    same "$name $variables" "$tfx" "$@" --json $variables
  done
}

# --- the same everywhere -------------------------------------------------------------------------------------------

everywhere "scores" scores --no-time
everywhere "masked" masked --no-time
everywhere "a Chinese sentence" attention --text 我爱自然语言 --no-time
everywhere "explain" explain attention output 0 2

# --- well formed ---------------------------------------------------------------------------------------------------

# holds NAME PATTERN…: each extended regular expression is found in $work/out.
holds() {
  local name=$1 pattern
  shift
  for pattern in "$@"; do
    if ! grep -Eq -- "$pattern" "$work/out"; then
      not_ok "$name" "no $pattern in: $(first_lines "$work/out")"
      return
    fi
  done
  ok "$name"
}

number='-?[0-9]+(\.[0-9]+)?(e[-+]?[0-9]+)?'
for lesson in "${lessons[@]}"; do
  json "$lesson" "$lesson" --no-time || continue
  check "$lesson is well formed" balanced <"$work/out"
  holds "$lesson has the head" '^  "schema_version": 1,$' "^  \"command\": \"$lesson\",\$" '^  "tutorial": "[-a-z]+",$' \
    '^  "tensors": \[\{"name":"[A-Za-z_]+","shape":\[[0-9]+(,[0-9]+)*\],"dtype":"float(32|64)","formula":"[^"]+",' \
    '^  "checks": \[\{"name":"[a-z_]+","pass":true,"value":'"$number"'\}' \
    '^  "cost": \{"params":[0-9]+,"macs":[0-9]+,"flops":[0-9]+[,}]'
  check "$lesson passes its checks" test "$(grep -c '"pass":false' "$work/out")" = 0
  check "$lesson equals NumPy's run" grep -q '"name":"equals_reference","pass":true' "$work/out"
  tensors=$(grep '^  "tensors"' "$work/out" | grep -o '"dtype":' | wc -l)
  data=$(grep '^  "tensors"' "$work/out" | grep -o '"data":\[' | wc -l)
  check "$lesson gives the data of every tensor" test "$tensors" -gt 1 -a "$tensors" = "$data"
  check "$lesson --no-time has no times" test "$(grep -c seconds "$work/out")" = 0
  json "$lesson" "$lesson" &&
    holds "$lesson has times" '"cost": \{"params":[0-9]+,"macs":[0-9]+,"flops":[0-9]+,"seconds":'"$number"
done

# --- some values ---------------------------------------------------------------------------------------------------

json scores scores --no-time
holds "scores: the tutorial's numbers" \
  '"name":"Q".*"data":\[\[2\.0,0\.0,2\.0\],\[2\.0,0\.0,0\.0\],\[4\.0,0\.0,2\.0\],\[2\.0,1\.0,2\.0\]\]' \
  '"name":"scores".*"data":\[\[8\.0,2\.0,10\.0,2\.0\],\[4\.0,0\.0,4\.0,0\.0\],\[12\.0,2\.0,14\.0,2\.0\],\[10\.0,4\.0,14\.0,3\.0\]\]' \
  '"cost": \{"params":0,"macs":48,"flops":96'
json attention attention --no-time
holds "attention: the tutorial's output" \
  '"name":"output".*"data":\[\[0\.98522024[0-9]+,1\.7417405[0-9]+,0\.7565202[0-9]+\]' '\[0\.9096526[0-9]+,1\.4096526[0-9]+,0\.5\]'
json explain explain scores scores 0 2
holds "explain: the cell" '"command": "explain"' '"tensor": "scores"' '"index": \[0,2\]' '"value": 10\.0' \
  '"arithmetic": "2·2 \+ 0·4 \+ 2·3"'
check "explain is well formed" balanced <"$work/out"
json show attention --no-time --show weights,output
check "--show leaves two tensors" test "$(grep -o '"dtype":' "$work/out" | wc -l)" = 2
json own scores --text 'a "quoted" word\' --no-time
check "quotes and backslashes are escaped" balanced <"$work/out"
holds "own input has no tutorial" '^  "tutorial": null,$' '"labels":\[\["a","\\"","quoted","\\"","word","\\\\"\]'
json own scores --text '<b> 猫 é 🙂' --no-time
holds "other characters stay" '"labels":\[\["<b>","猫","é","🙂"\]'

# --- values JSON has no numbers for ----------------------------------------------------------------------------------

json masked masked --no-time
holds "minus infinity is a string" '"name":"masked".*"data":[^}]*,"-Infinity",'
printf '0,0\n1,1\n' >mask.csv
json blocked masked --text 'a b' --mask mask.csv --on-masked-row nan --no-time
holds "NaN is a string" '"name":"weights".*"data":\[\["NaN","NaN"\],\['
check "they are well formed" balanced <"$work/out"

finish
