#!/bin/bash
# tools/tfx among stand-ins for apt-get, dpkg-query, sudo, cmake and ninja, which write down how they were called: what
# it installs, when it builds, what tfx gets. Prints "ok NAME" or "not ok NAME: why" for every test.
set -uo pipefail
self=$(readlink -f -- "${BASH_SOURCE[0]}")
tools=${self%/tests/*}/tools
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
project="$scratch/a project"
calls=$scratch/calls
bin=$scratch/bin
as_user=()

# stand_in NAME: its body on stdin; $calls and $scratch hold there too.
stand_in() {
  { echo "#!/bin/bash" && echo "calls='$calls' scratch='$scratch'" && cat; } >"$bin/$1"
  chmod +x "$bin/$1"
}

# fresh: a checkout that was never built, on a machine where all is installed but Ninja.
fresh() {
  rm -rf "$project" "$bin" "$scratch"/{broken,offline}
  mkdir -p "$project"/{src,lessons,data,tools/cmake} "$bin"
  touch "$project"/{CMakeLists.txt,CMakePresets.json,src/main.cpp}
  cp "$tools"/{tfx,lib.sh,packages.txt} "$project/tools/"
  local tool
  for tool in bash cat chmod env find grep mkdir mv readlink rm flock sleep tr; do ln -s "$(command -v "$tool")" "$bin"; done
  sed -nE 's/^build +//p' "$tools/packages.txt" | tr ' ' '\n' | sed '/^ninja/d; s/$/ installed/' >"$scratch/dpkg"
  : >"$calls"
  stand_in dpkg-query <<'END'
echo dpkg-query >>"$calls"
cat "$scratch/dpkg"
END
  stand_in apt-get <<'END'
echo "apt-get $*" >>"$calls"
echo "noise"
cat >/dev/null # whoever reads stdin here takes it from tfx
[[ ! -e $scratch/offline ]]
END
  stand_in sudo <<'END'
echo "sudo $*" >>"$calls"
exec "$@"
END
  stand_in cmake <<'END'
echo "cmake $* CXX=${CXX-none}" >>"$calls"
mkdir -p build/release
printf '%s\n' "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "TFX_TESTS:BOOL=OFF" >build/release/CMakeCache.txt
: >build/release/build.ninja
echo "-- noise"
END
  stand_in ninja <<'END'
echo "ninja $*" >>"$calls"
if [[ -e $2/busy ]]; then echo "two at a time" >>"$calls"; fi
: >"$2/busy"
sleep 0.05
rm "$2/busy"
if [[ -e $scratch/broken ]]; then echo "main.cpp:1: error" && exit 1; fi
if [[ -e $2/tfx ]]; then echo "ninja: no work to do." && exit; fi
echo "[1/1] noise"
printf '%s\n' '#!/bin/bash' 'echo "tfx $* in $PWD with CXX=${CXX-none}: $(cat)"; exit 3' >"$2/tfx"
chmod +x "$2/tfx"
END
  chmod -R a+rwX "$scratch" # the user may be another one than ours
}

# run [ARG…]: tools/tfx in $scratch, with no other programs than the stand-ins and the few it may need.
run() {
  status=0
  cd "$scratch" || exit
  PATH=$bin CXX=strange "${as_user[@]}" "$project/tools/tfx" "$@" <<<"input" >stdout 2>stderr || status=$?
}

# expect NAME CONDITION…: one test.
expect() {
  local name=$1
  shift
  if "$@"; then echo "ok $name"; else echo "not ok $name: not ($*); $(cat "$calls" "$scratch"/std* | tr '\n' ';')"; fi
}

is() { [[ $1 == "$2" ]]; }
called() { grep -qE -- "$1" "$calls"; }
not_called() { ! called "$1"; }
said() { grep -qF -- "$1" "$scratch/stderr"; }
times() { (($(grep -cE -- "$1" "$calls") == $2)); }
output="tfx scores a.csv in $scratch with CXX=strange: input"

fresh
run scores a.csv
expect "installs only what is missing" called '^apt-get .* install .*-y --no-install-recommends ninja-build$'
expect "refreshes the package lists once" times '^apt-get .*update$' 1
expect "says what it installs" said "installing ninja-build"
expect "gives tfx its arguments, folder, input and environment, and stdout to no other" \
  is "$(<"$scratch/stdout")" "$output"
expect "ends as tfx does" is "$status" 3
expect "builds without the caller's compiler" called '^cmake --preset release -DTFX_TESTS:BOOL=OFF CXX=none$'
expect "builds only tfx" called '^ninja -C build/release tfx$'

: >"$calls"
run scores a.csv
expect "asks nobody when nothing changed" is "$(<"$calls")" ""
expect "is silent then" is "$(<"$scratch/stderr")" ""

# edit: touches a source, so that there is something to build.
edit() {
  : >"$calls"
  touch "$project/src/main.cpp"
}
edit
run scores a.csv
expect "asks only Ninja when a source changed" is "$(<"$calls")" "ninja -C build/release tfx"
: >"$calls"
rm "$project/src/main.cpp"
run scores a.csv
expect "notices a source that went away" called '^ninja'
edit
run scores a.csv
: >"$calls"
touch -d '2000-01-01' "$project/src/main.cpp"
run scores a.csv
expect "notices an older file that was copied over a source" called '^ninja'

mkdir -p "$scratch/elsewhere"
ln -sf "$project/tools/tfx" "$scratch/elsewhere/link"
(cd "$scratch" && PATH=$bin CXX=strange elsewhere/link scores a.csv <<<"input" >stdout 2>stderr)
expect "runs through a symbolic link" is "$(<"$scratch/stdout")" "$output"

: >"$scratch/broken"
edit
run scores a.csv
run scores a.csv
expect "never runs the tfx of before a failed build" is "$status:$(<"$scratch/stdout")" "70:"
expect "shows why the build failed" said "main.cpp:1: error"
rm "$scratch/broken"
: >"$calls"
run scores a.csv
expect "asks dpkg again after a failed build" called '^dpkg-query$'

echo "build newcomer" >>"$project/tools/packages.txt"
run scores a.csv
expect "installs what a new packages.txt wants" called '^apt-get .* install .* newcomer$'

edit
for _ in 1 2 3; do (cd "$scratch" && PATH=$bin "$project/tools/tfx" </dev/null >/dev/null 2>&1) & done
wait
expect "builds once at a time" not_called '^two at a time'

mv "$project" "$scratch/moved"
project=$scratch/moved
edit
run scores a.csv
expect "configures anew where the checkout was moved" called '^cmake '
rm -r "$project"
project="$scratch/a project"

fresh
echo "build oldtool?" >>"$project/tools/packages.txt"
run scores a.csv
expect "goes on without a tool that the release has no more" said "this release has no oldtool: going on without it"
expect "and installs the rest" called '^apt-get .* install .* ninja-build$'
expect "and builds" is "$(<"$scratch/stdout")" "$output"

fresh
: >"$scratch/offline"
run scores a.csv
expect "gives up where apt-get fails" is "$status:$(<"$scratch/stdout")" "70:"
expect "and says the line to run by hand" said "apt-get install --no-install-recommends ninja-build"

fresh
rm "$bin/apt-get"
run scores a.csv
expect "names what is needed where there is no apt-get" said "no apt-get here"
expect "and builds all the same" is "$(<"$scratch/stdout")" "$output"

# From here on as a user without root rights.
if ((EUID == 0)); then as_user=("$(command -v setpriv)" --reuid=65534 --regid=65534 --clear-groups); fi
fresh
run scores a.csv
expect "asks sudo for what it installs" called '^sudo .*apt-get .* install .*ninja-build$'
expect "builds without root rights" is "$(<"$scratch/stdout")" "$output"

fresh
rm "$bin/sudo"
run scores a.csv
expect "says the line to run where there is no sudo" said "As root: apt-get install --no-install-recommends ninja-build"
expect "and installs nothing" not_called '^apt-get'
