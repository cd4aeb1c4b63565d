#!/usr/bin/env bash
# The README's two commands on a bare Debian 13, in a folder of the build: nothing but apt, and this checkout's files. Then
# that release's clang compiles everything once, a warning being an error. Prints "ok NAME" or "not ok NAME: why" for
# every test. Needs root (chroot) and debootstrap; the bare system is kept for the next time.
set -u
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
bare=$root/build/debian13
log=$root/build/debian13.log

ok() { echo "ok $1"; }
not_ok() {
  tail -n 40 "$log" >&2
  echo "not ok $1: see build/${log##*/}"
}

if ((EUID != 0)); then
  echo "not ok a bare Debian 13: chroot needs root"
  exit 1
fi
if [[ ! -x $bare/usr/bin/apt-get ]]; then
  rm -rf "$bare"
  mirror=$(sed -nE 's/^URIs: *([^ ]+).*/\1/p' /etc/apt/sources.list.d/*.sources 2>/dev/null | head -n 1)
  if ! debootstrap --variant=minbase --include=ca-certificates trixie "$bare" ${mirror:+"$mirror"} >"$log" 2>&1; then
    not_ok "a bare Debian 13"
    exit 1
  fi
fi
# What this machine's apt needs to reach packages, that one's does too.
cp /etc/resolv.conf "$bare/etc/"
cp -r /etc/apt/apt.conf.d/. "$bare/etc/apt/apt.conf.d/"
if ! mountpoint -q "$bare/proc"; then mount -t proc proc "$bare/proc"; fi
trap 'umount "$bare/proc"' EXIT

# The files of the checkout as they are; a build of before stays, so that only what changed is compiled.
project=$bare/root/project
mkdir -p "$project"
find "$project" -mindepth 1 -maxdepth 1 ! -name build -exec rm -rf {} +
(cd "$root" && git ls-files -z | xargs -0 tar -cf - --ignore-failed-read) | tar -C "$project" -xf -

# there NAME COMMAND CI: one test; CI is "" or yes, where a warning is an error.
there() {
  if env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TERM=xterm LANG=C.UTF-8 CI="$3" \
    chroot "$bare" /bin/bash -c "cd /root/project && $2" >"$log" 2>&1 </dev/null; then
    ok "$1"
  else
    not_ok "$1"
  fi
}

there "tools/tfx on a bare Debian 13" "tools/tfx scores" ""
there "tools/test on a bare Debian 13, without a warning" "tools/test" yes
grep -oE '^[0-9]+ passed, [0-9]+ failed$' "$log" | sed 's/^\([0-9]*\).*/count tests passed on Debian 13 \1/'
there "Debian 13's clang compiles everything without a warning" "
  apt-get -qq install -y --no-install-recommends clang-19 &&
  cmake -S . -B build/clang -G Ninja -DCMAKE_CXX_COMPILER=clang++-19 -DCMAKE_BUILD_TYPE=Debug -DCMAKE_UNITY_BUILD=ON \
    -DTFX_WERROR=ON && ninja -C build/clang" ""
