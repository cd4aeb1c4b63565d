#!/usr/bin/env bash
# A system call of a save fails, or the process is killed at it: each call in turn, each fault in turn. The file under
# the name is then the old one or the new one, whole; the status says what happened; nothing piles up in the folder.
#   tests/extended/faults.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
needs strace

file_calls='openat|write|read|fsync|fdatasync|close|rename|renameat|renameat2|link|linkat|unlink|unlinkat|access|faccessat2|newfstatat|fstat|fchmod|lseek|flock|ftruncate|fcntl|dup'

# calls_from PATTERN <TRACE: from the first line with PATTERN on, a line for each call that a file system on a disk answers:
# its name, how often it was called until then, and how many times ck.safetensors had been renamed into place.
calls_from() {
  awk -v pattern="$1" -v wanted="^($file_calls)$" '
    { call = $2; sub(/\(.*/, "", call); seen[call]++ }
    index($0, pattern) && call != "execve" { begun = 1 }
    begun && call ~ wanted && !/[<"]\/(proc|sys)\// { print call, seen[call], saved + 0 }
    call == "rename" && /, "ck.safetensors"\) = 0/ { saved++ }'
}

# faulty CALL FAULT NTH ARGUMENT…: tfx, its NTH CALL going wrong. What it leaves is as after run.
faulty() {
  local call=$1 fault=$2 nth=$3
  shift 3
  (
    timeout 60 strace -f -o /dev/null -e trace="$call" -e inject="$call:$fault:when=$nth" \
      "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
    exit $? # or the shell would tell of every process that is killed
  ) 2>/dev/null
  status=$?
}

# faults_of CALL: what may go wrong with it. A signal that interrupts a call must not be noticed at all.
faults_of() {
  echo error=EIO signal=KILL
  case $1 in
    write) echo error=ENOSPC error=EDQUOT error=EINTR ;;
    openat) echo error=ENOSPC error=EMFILE error=EROFS error=EACCES error=EINTR ;;
    fsync) echo error=ENOSPC error=EINTR ;;
    rename | link) echo error=ENOSPC error=EXDEV error=EPERM ;;
    close) echo error=ENOSPC error=EINTR ;;
    access) echo error=EACCES ;;
    fchmod) echo error=EPERM ;;
  esac
}

# right_status NAME FAULT: killed ones are killed; others end well, or cannot read or write and say so.
right_status() {
  if [[ $2 == signal=KILL ]]; then
    if ((status == 137)); then return; fi
  elif [[ $2 == error=EINTR ]]; then
    if ((status == 0)); then return; fi
  else
    case $status in
      0) return ;;
      66 | 73 | 74) if [[ $(<"$work/err") == "tfx: cannot "* ]]; then return; fi ;;
    esac
  fi
  not_ok "$1" "status $status: $(first_lines "$work/err")"
  return 1
}

# left_over: temporary files. A killed process may leave one of the file, one of its predecessor and its lock; others none.
left_over() { find . -maxdepth 1 \( -name '.tfx*' -o -name '*.tmp' \) | wc -l; }

# --- checkpoints of a training ---------------------------------------------------------------------------------------

alike=(train "${little[@]}" --batch 2 --held-out 2 --threads 1 --dropout 0.1 --measure-every 1 --quiet --no-time --json)
training=("${alike[@]}" --steps 3)
whole="" # checksums of checkpoints that have been seen to go on, bit for bit, to the last step
# step_of FILE: the step that a whole checkpoint stands at; nothing for any other file.
step_of() {
  local sum
  sum=$(cksum <"$1")
  if [[ $whole != *"<$sum>"* ]]; then
    cp "$1" "$work/again.safetensors"
    "$tfx" "${training[@]}" --resume "$work/again.safetensors" >/dev/null 2>&1 </dev/null || return
    cmp -s "$work/again.safetensors" "$work/last.safetensors" || return
    whole+="<$sum>"
  fi
  grep -ao '"train.step":"[0-9]*"' "$1" | grep -o '[0-9]*'
}

mkdir "$work/fresh" "$work/old"
(cd "$work/old" && "$tfx" "${alike[@]}" --steps 1 --out ck.safetensors >/dev/null)
"$tfx" "${training[@]}" --out "$work/last.safetensors" >/dev/null

faults=0 lost=0 survived=0
# checkpoints NAME START SAVED ARGUMENT…: a training that begins in a copy of folder START, with every fault at every
# call. SAVED checkpoints are there before.
checkpoints() {
  local name=$1 start=$2 before=$3 call nth saved fault where now previous
  shift 3
  rm -rf "$work/try" && cp -r "$work/$start" "$work/try" && cd "$work/try" || return
  strace -f -y -o "$work/trace" "$tfx" "$@" >/dev/null 2>&1 </dev/null
  check "$name: $(grep -c . "$work/trace") calls, undisturbed" cmp -s ck.safetensors "$work/last.safetensors"
  calls_from ck.safetensors <"$work/trace" | sort -u >"$work/calls"
  while read -r call nth saved; do
    for fault in $(faults_of "$call"); do
      where="$name: $call $nth, $fault"
      rm -rf "$work/try" && cp -r "$work/$start" "$work/try" && cd "$work/try" || return
      faulty "$call" "$fault" "$nth" "$@"
      faults=$((faults + 1))
      right_status "$where" "$fault" || true
      now=0 previous=0
      if [[ -e ck.safetensors ]]; then now=$(step_of ck.safetensors); fi
      if [[ -e ck.safetensors.prev ]]; then previous=$(step_of ck.safetensors.prev); fi
      if [[ -z $now || -z $previous ]] || ((now < before + saved || previous > now)); then
        lost=$((lost + 1))
        not_ok "$where" "the checkpoint is lost: step ${now:-none}, before it ${previous:-none}"
      elif ((status == 0 && now != 3)); then
        not_ok "$where" "status 0, and step $now of 3"
      else
        survived=$((survived + 1))
      fi
      if [[ $fault != signal=KILL ]] && [[ $call != unlink ]] && (($(left_over) > 0)); then
        not_ok "$where" "it leaves $(find . -name '*.tmp' -print0 | xargs -0)"
      elif (($(left_over) > 0)); then # the next save clears up
        if (($(left_over) > 3)); then not_ok "$where" "it leaves $(find . -name '*.tmp' -print0 | xargs -0)"; fi
        "$tfx" "${training[@]}" --out ck.safetensors >/dev/null 2>&1
        if (($(left_over) > 0)); then not_ok "$where" "the next save leaves $(find . -name '*.tmp' -print0 | xargs -0)"; fi
      fi
    done
  done <"$work/calls"
}
checkpoints "three saves" fresh 0 "${training[@]}" --save-every 1 --out ck.safetensors
checkpoints "saved onto itself" old 1 "${training[@]}" --resume ck.safetensors --out ck.safetensors
check "checkpoints under faults: $faults faults, $lost lost checkpoints" test "$lost" = 0 -a "$faults" -gt 300 \
  -a "$survived" = "$faults"
count "faults in saves of checkpoints" "$faults"
count "checkpoints lost" "$lost"

# --- disks that fill up ----------------------------------------------------------------------------------------------

# A limit on the size of files cuts a write short, as a disk does that fills up; then the next write fails.
full=0
for kilobytes in {0..34}; do
  rm -rf "$work/try" && cp -r "$work/old" "$work/try" && cd "$work/try" || exit
  (
    ulimit -f "$kilobytes"
    exec "$tfx" "${training[@]}" --resume ck.safetensors --out ck.safetensors >/dev/full
  ) 2>"$work/err"
  status=$?
  if ((status == 74)) && cmp -s ck.safetensors "$work/old/ck.safetensors" && (($(left_over) == 0)); then
    full=$((full + 1))
  else
    not_ok "a disk with $kilobytes kB" "status $status: $(first_lines "$work/err")"
  fi
done
check "short writes before a full disk: $full, none lost" test $full = 35
count "disks that filled up during a save" $full

# Reads and writes that never take all they are given.
if command -v g++ >/dev/null; then
  cat >"$work/short.cpp" <<'END'
#include <dlfcn.h>
#include <unistd.h>
static size_t least(size_t n) { return n < 999 ? n : 999; }
extern "C" ssize_t write(int fd, const void* p, size_t n) {
  static auto real = (ssize_t(*)(int, const void*, size_t))dlsym(RTLD_NEXT, "write");
  return real(fd, p, least(n));
}
extern "C" ssize_t read(int fd, void* p, size_t n) {
  static auto real = (ssize_t(*)(int, void*, size_t))dlsym(RTLD_NEXT, "read");
  return real(fd, p, least(n));
}
END
  g++ -shared -fPIC -o "$work/short.so" "$work/short.cpp" -ldl
  rm -rf "$work/try" && cp -r "$work/old" "$work/try" && cd "$work/try" || exit
  LD_PRELOAD=$work/short.so "$tfx" "${training[@]}" --resume ck.safetensors --out ck.safetensors >/dev/null
  check "short reads and writes change nothing" cmp -s ck.safetensors "$work/last.safetensors"
  LD_PRELOAD=$work/short.so "$tfx" masked --no-time >"$work/short"
  run masked --no-time
  check "nor on the screen" cmp -s "$work/short" "$work/out"
fi

# --- what else is saved ----------------------------------------------------------------------------------------------

# saves FILE ARGUMENT…: FILE is under every fault what it was or what it shall be.
faults=0
saves() {
  local file=$1 call nth saved fault where
  shift
  rm -rf "$work/try" && mkdir "$work/try" && cd "$work/try" || return
  strace -f -y -o "$work/trace" "$tfx" "$@" >/dev/null 2>&1 </dev/null
  cp "$file" "$work/new"
  calls_from "\"$file\"" <"$work/trace" | sort -u >"$work/calls"
  while read -r call nth saved; do
    for fault in $(faults_of "$call"); do
      where="$file: $call $nth, $fault"
      rm -rf "$work/try" && mkdir "$work/try" && cd "$work/try" || return
      echo old >"$file"
      faulty "$call" "$fault" "$nth" "$@"
      faults=$((faults + 1))
      right_status "$where" "$fault" || true
      if ! cmp -s "$file" "$work/new" && { ((status == 0)) || [[ $(<"$file") != old ]]; }; then
        not_ok "$where" "status $status; neither the old file nor the new one: $(first_lines "$file")"
      elif [[ $fault != signal=KILL && $call != unlink ]] && (($(left_over) > 0)); then
        not_ok "$where" "it leaves $(find . -name '*.tmp' -print0 | xargs -0)"
      fi
    done
  done <"$work/calls"
}
before=$failed
saves run.npz attention --quiet --save run.npz
saves run.json attention --quiet --no-time --save run.json
saves run.csv attention --quiet --save run.csv --show output
saves weights.safetensors "${training[@]}" --weights-out weights.safetensors
saves weights.npz model "${little[@]}" --vocab 11 --src 1,2 --tgt 1 --quiet --save-weights weights.npz
check "other files under faults: $faults faults, every file whole" test "$failed" = "$before" -a $faults -gt 200
count "faults in saves of other files" $faults

# The log of a training grows row by row: what is there are whole rows, the first ones.
faults=0 before=$failed
rm -rf "$work/try" && mkdir "$work/try" && cd "$work/try" || exit
strace -f -y -o "$work/trace" "$tfx" "${training[@]}" --log log.csv >/dev/null 2>&1 </dev/null
cp log.csv "$work/log"
calls_from '"log.csv"' <"$work/trace" | sort -u >"$work/calls"
while read -r call nth saved; do
  for fault in $(faults_of "$call"); do
    rm -f log.csv .tfx*
    faulty "$call" "$fault" "$nth" "${training[@]}" --log log.csv
    faults=$((faults + 1))
    right_status "log.csv: $call $nth, $fault" "$fault" || true
    if [[ ! -e log.csv ]]; then continue; fi
    if ! cmp -s log.csv <(head -n "$(wc -l <log.csv)" "$work/log") || { ((status == 0)) && ! cmp -s log.csv "$work/log"; }; then
      not_ok "log.csv: $call $nth, $fault" "status $status; other rows: $(first_lines log.csv)"
    fi
  done
done <"$work/calls"
check "the log under faults: $faults faults, only whole rows" test "$failed" = "$before" -a $faults -gt 40
count "faults in the log of a training" $faults

finish
