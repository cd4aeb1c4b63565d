#!/usr/bin/env bash
# The packages that "cmake --build build/release --target package" makes: what they hold, and that the tfx in them runs from
# wherever they are unpacked.
#   tests/package/package.sh BINARY      the packages are built in BINARY's folder
self=$(readlink -f -- "${BASH_SOURCE[0]}")
# shellcheck source-path=SCRIPTDIR source=../cli/lib.sh
source "${self%/package/*}/cli/lib.sh"

build=${tfx%/*}
rm -rf "$build/packages"
if ! cmake --build "$build" --target package >"$work/log" 2>&1; then
  not_ok "the packages are built" "$(tail -5 "$work/log" | tr '\n' ' ')"
  finish
fi
deb=$(find "$build/packages" -name 'tfx_*.deb') archive=$(find "$build/packages" -name 'tfx-*.tar.gz')
check "there is a tar.gz" test -f "$archive"

# holds NAME FILE PART…: the text has each part.
holds() {
  local name=$1 file=$2 part missing=
  shift 2
  for part; do grep -Eq -- "$part" "$file" || missing+=" \"$part\""; done
  if [[ $missing ]]; then not_ok "$name" "it lacks$missing"; else ok "$name"; fi
}

# works NAME ROOT ZSH: the tfx, the man pages and the completions below ROOT are whole, that of zsh in its folder ZSH.
works() {
  local name=$1 prefix=$2 page=man1/tfx.1
  if [[ -e $prefix/share/man/$page.gz ]]; then page+=.gz; fi
  for file in bin/tfx "share/man/$page" "share/man/zh_CN/$page" share/bash-completion/completions/tfx \
    "share/zsh/$3/_tfx" share/doc/tfx/copyright; do
    check "$name has $file" test -s "$prefix/$file"
  done
  check "$name: man tfx" grep -q 'COMMANDS' <(gzip -cdf "$prefix/share/man/$page")
  check "$name: man tfx in Chinese" grep -q '命令' <(gzip -cdf "$prefix/share/man/zh_CN/$page")
  check "$name: bash completes" bash -c 'source "$1" && complete -p tfx >/dev/null' bash "$prefix/share/bash-completion/completions/tfx"
  (cd / && env -i "$prefix/bin/tfx" scores --full --no-time --lang en) >"$work/out" 2>&1
  holds "$name: tfx scores --full" "$work/out" 'every query meets every key' 'cells equal the tutorial run in NumPy'
  (cd / && env -i "$prefix/bin/tfx" list --lang en) >"$work/out" 2>&1
  holds "$name: tfx list" "$work/out" 'tfx softmax'
}

mkdir archive
tar -xzf "$archive" -C archive --strip-components=1
works tar.gz "$PWD/archive" site-functions

if ! command -v dpkg-shlibdeps >/dev/null; then finish; fi # nobody could build a .deb here
check "there is a .deb" test -f "$deb"
version=$("$tfx" --version)
dpkg-deb -I "$deb" >"$work/info"
holds "the .deb says what it is" "$work/info" '^ Package: tfx$' "^ Version: ${version#tfx }\$" '^ Section: education$' \
  '^ Maintainer: .+<.+@.+>$' '^ Architecture: [a-z0-9]+$' '^ Description: learn the Transformer' '^ Installed-Size: [0-9]+$'
holds "the .deb names its libraries" "$work/info" '^ Depends:.* libc6 ' '^ Depends:.* ?libzip' '^ Depends:.* ?libutf8proc'
dpkg-deb -c "$deb" >"$work/contents"
check "all of the .deb is root's" test "$(grep -vc ' root/root ' "$work/contents")" = 0
check "the .deb installs below /usr" test "$(grep -vEc ' \./(usr/.*)?$' "$work/contents")" = 0
mkdir deb
dpkg-deb -x "$deb" deb
works .deb "$PWD/deb/usr" vendor-completions

finish
