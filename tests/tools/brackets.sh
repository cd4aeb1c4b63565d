#!/usr/bin/env bash
# A checkout in a folder whose name has brackets, which mean something in CMake's patterns: it is configured, with all
# sources. Nothing is compiled. Prints "ok NAME" or "not ok NAME: why" for every test.
set -u
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree="$work/a [copy] of tfx"
mkdir "$tree"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$tree" -xf -

# sources TREE: the sources that Ninja would compile, tests too, under the tree; most are read by a file that compiles a
# folder together.
sources() {
  {
    ninja -C "$1/build/release" -t commands 2>&1
    find "$1/build/release" -name 'unity_*.cxx' -exec cat {} +
  } | grep -oE '(src|lessons|tests)/[a-z0-9_/]+\.cpp' | sort -u
}

if ! (cd "$tree" && cmake --preset release -DTFX_TESTS=ON) >"$work/log" 2>&1; then
  echo "not ok a folder with brackets is configured: $(grep -m1 -A2 'CMake Error' "$work/log" | tr '\n' ' ')"
  exit 1
fi
echo "ok a folder with brackets is configured"
count=$(sources "$tree" | wc -l)
wanted=$(cd "$root" && find tests -name '*_test.cpp' | wc -l)
if ((count > wanted)); then
  echo "ok with all sources"
else
  echo "not ok with all sources: $count, and there are $wanted tests alone"
  exit 1
fi
