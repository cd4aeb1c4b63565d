#!/usr/bin/env bash
# Where a file cannot be written, or stands in the way: what was there stays as it was, and the status says so. As a user
# whom permissions bind: root runs this as nobody.
#   tests/cli/writing.sh BINARY
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=lib.sh
source "${self%/*}/lib.sh"
# shellcheck source-path=SCRIPTDIR source=samples.sh
source "${self%/*}/samples.sh"

as_user=()
if ((EUID == 0)); then
  chmod 755 "$work"
  chown -R 65534:65534 "$work/here"
  as_user=(setpriv --reuid=65534 --regid=65534 --clear-groups)
  if ! "${as_user[@]}" "$tfx" --version >/dev/null 2>&1; then
    echo "skipped: no user here whom permissions bind"
    as_user=()
  fi
fi
training=(train "${little[@]}" --batch 2 --held-out 2 --threads 1 --dropout 0.1 --quiet)

# user ARGUMENT…: as run, by that user.
user() {
  "${as_user[@]}" "$tfx" "$@" >"$work/out" 2>"$work/err" </dev/null
  status=$?
}

# stays NAME STATUS FRAGMENT FILE ARGUMENT…: the run fails with STATUS and FRAGMENT, FILE keeps its bytes, and nothing
# else appears in the folder.
stays() {
  local name=$1 wanted=$2 fragment=$3 file=$4 before after
  shift 4
  before=$(cksum "$file" 2>&1 && ls -A "$(dirname "$file")")
  user "$@"
  after=$(cksum "$file" 2>&1 && ls -A "$(dirname "$file")")
  if ((status != wanted)) || [[ $(<"$work/err") != *"$fragment"* ]]; then
    not_ok "$name" "status $status, not $wanted: $(first_lines "$work/err")"
  elif [[ $before != "$after" ]]; then
    not_ok "$name" "the folder was $(tr '\n' ' ' <<<"$before"), and is $(tr '\n' ' ' <<<"$after")"
  else
    ok "$name"
  fi
}

# --- a checkpoint saved onto itself -------------------------------------------------------------------------------------

user "${training[@]}" --steps 3 --out ck.safetensors
user "${training[@]}" --steps 8 --out straight.safetensors
cp ck.safetensors three.safetensors
user train --resume ck.safetensors --out ck.safetensors --steps 8 --held-out 2 --threads 1 --quiet
check "a checkpoint is saved onto the file it was loaded from" cmp -s ck.safetensors straight.safetensors
check "and the one before stays as .prev" cmp -s ck.safetensors.prev three.safetensors
user train --resume ck.safetensors --steps 8 --quiet
check "with nothing to do it stays as it is" cmp -s ck.safetensors straight.safetensors
check "and .prev stays the one before" cmp -s ck.safetensors.prev three.safetensors
cp three.safetensors ck.safetensors
user train --resume ck.safetensors --steps 8 --save-every 1 --held-out 2 --threads 1 --quiet
check "saved at its last step and at its end, .prev is the step before" \
  test "$(grep -ao '"train.step":"[0-9]*"' ck.safetensors.prev)" = '"train.step":"7"'
ln -s ck.safetensors link.safetensors
user train --resume link.safetensors --steps 9 --held-out 2 --threads 1 --quiet
check "a link to a checkpoint stays a link" test -L link.safetensors
check "and the checkpoint behind it goes on" test "$(grep -ao '"train.step":"[0-9]*"' ck.safetensors)" = '"train.step":"9"'

# --- places that cannot be written ---------------------------------------------------------------------------------------

user scores --quiet --save good.npz
mkdir folder.safetensors folder.npz
stays "a folder stands there" 73 "Is a directory" ck.safetensors "${training[@]}" --steps 1 --out folder.safetensors
stays "a folder where a lesson is saved" 73 "Is a directory" good.npz scores --save folder.npz
stays "a folder that is missing" 73 "No such file" good.npz scores --save missing/x.npz
stays "a file where a folder should be" 73 "Not a directory" good.npz scores --save good.npz/x.npz
ln -s /dev/full full.npz
ln -s /dev/full full.safetensors
stays "a device that is full" 74 "No space left" good.npz scores --save full.npz
stays "a checkpoint onto a device that is full" 74 "No space left" ck.safetensors "${training[@]}" --steps 1 --out full.safetensors
stays "a log onto a device that is full" 74 "No space left" ck.safetensors "${training[@]}" --steps 1 --log /dev/full
ln -s nowhere/x.npz dangling.npz
stays "a link that leads nowhere" 73 "No such file" good.npz scores --save dangling.npz
ln -s circle.npz circle.npz
stays "a link to itself" 73 "symbolic links" good.npz scores --save circle.npz

if ((${#as_user[@]} || EUID)); then
  mkdir closed
  cp good.npz closed/x.npz
  cp ck.safetensors closed/
  chown -R 65534:65534 closed 2>/dev/null
  chmod 555 closed
  stays "a folder that is read only" 73 "Permission denied" closed/x.npz scores --save closed/new.npz
  stays "a file in a folder that is read only" 73 "Permission denied" closed/x.npz scores --save closed/x.npz
  stays "a checkpoint in a folder that is read only" 73 "Permission denied" closed/ck.safetensors \
    train --resume closed/ck.safetensors --steps 20 --quiet
  user "${training[@]}" --steps 1 --out closed/new.safetensors --log early.csv
  check "which is said before the first step" test "$status" = 73 -a ! -e early.csv
  user "${training[@]}" --steps 1 --weights-out closed/new.safetensors --log early.csv
  check "of the weights too" test "$status" = 73 -a ! -e early.csv
  stays "a log in a folder that is read only" 73 "Permission denied" closed/x.npz "${training[@]}" --steps 1 --log closed/x.csv
  (cd closed && user "${training[@]}" --steps 1 --lang en && exit "$status")
  check "a training without --out is told so before it starts, and runs" test $? = 0 -a "$(grep -c \
    '^tfx: cannot write tfx-train-copy.safetensors: Permission denied. Stopped before its end.*--out FILE' "$work/err")" = 1
  (cd closed && user "${training[@]}" --steps 1 --lang zh)
  check "in Chinese" grep -q '没有权限.*--out FILE' "$work/err"
  chmod 755 closed
  chmod 444 good.npz
  stays "a file that is read only" 73 "Permission denied" good.npz scores --save good.npz
  chmod 000 good.npz
  stays "a file that may not be read" 66 "Permission denied" ck.safetensors scores --weights good.npz
  mkdir -m 000 shut
  stays "a folder that may not be entered" 73 "Permission denied" ck.safetensors scores --save shut/x.npz
  stays "a file in it" 66 "Permission denied" ck.safetensors scores --weights shut/x.npz
  chmod 755 shut
fi

# A file system that is mounted read only, where the kernel lets us.
if unshare -m true 2>/dev/null; then
  mkdir mounted
  if unshare -m sh -c "mount -t tmpfs -o size=64k none mounted && cp ck.safetensors mounted/x.safetensors && mount -o remount,ro mounted &&
    '$tfx' train --resume mounted/x.safetensors --steps 20 --quiet; echo \$? >status; '$tfx' scores --save mounted/y.npz; echo \$? >>status" \
    >/dev/null 2>"$work/err"; then
    check "a file system that is read only" test "$(xargs <status)" = "73 73" -a "$(grep -c 'Read-only file system' "$work/err")" = 2
  fi
  # One that fills up in the middle of a save: 64 kB hold one checkpoint, and not a second one.
  if unshare -m sh -c "mount -t tmpfs -o size=64k none mounted && cp ck.safetensors mounted/x.safetensors && cp ck.safetensors before &&
    '$tfx' train --resume mounted/x.safetensors --steps 20 --quiet; echo \$? >status; cp mounted/x.safetensors after; ls -A mounted >left" \
    >/dev/null 2>"$work/err"; then
    check "a file system that is full" test "$(xargs <status)" = 74 -a "$(xargs <left)" = x.safetensors
    check "leaves the checkpoint that was there" cmp -s before after
  fi
fi

finish
