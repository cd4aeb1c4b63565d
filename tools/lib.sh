# shellcheck shell=bash
# What tools/tfx and tools/test share: install what is missing, configure, build only what changed. Sourced, not run.
# All that is said here goes to stderr: stdout belongs to tfx.
root=${BASH_SOURCE[0]%/tools/*}
installed=$root/build/.installed # packages a build has succeeded with, one a line: asking dpkg each time would be slow
unconfirmed=()                   # packages wanted now that are not in that file yet
advice=""                        # what the user has to do where we cannot install

say() { printf 'tools/%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
  say "$*"
  exit 70
}

# has_line LINE TEXT
has_line() { [[ $'\n'$2$'\n' == *$'\n'$1$'\n'* ]]; }

# packages_of GROUP…: what packages.txt names for those groups.
packages_of() {
  local group names
  while read -r group names; do
    if [[ " $* " == *" $group "* ]]; then printf '%s ' "$names"; fi
  done <"$root/tools/packages.txt"
}

# apt_get ARG…: as root, without questions. It must neither read tfx's input nor hold the lock of build().
apt_get() {
  local as_root=()
  if ((EUID != 0)); then as_root=(sudo); fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "$@" \
    </dev/null >&2 9>&-
}

# install_packages GROUP…: installs what dpkg does not know. Where that cannot be done it says what is needed and goes
# on, as the libraries may have come another way: CMake names what it does not find.
install_packages() {
  local package known="" all=() missing=()
  if [[ -r $installed ]]; then known=$(<"$installed"); fi
  for package in $(packages_of "$@"); do
    has_line "$package" "$known" || unconfirmed+=("$package")
  done
  if ((${#unconfirmed[@]} == 0)); then return; fi

  if ! command -v apt-get >/dev/null; then
    advice="there is no apt-get here. Needed, by their names in Debian: ${unconfirmed[*]%\?}"
    say "$advice"
    return
  fi
  # shellcheck disable=SC2016 # dpkg-query's own ${}
  known=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' "${unconfirmed[@]%\?}" 2>/dev/null) || true
  for package in "${unconfirmed[@]}"; do
    has_line "${package%\?} installed" "$known" || missing+=("$package")
  done
  if ((${#missing[@]} == 0)); then return; fi

  local command="apt-get install --no-install-recommends ${missing[*]%\?}"
  if ((EUID != 0)) && ! command -v sudo >/dev/null; then
    advice="packages are missing and there is no sudo. As root: $command"
    say "$advice"
    return
  fi
  say "installing ${missing[*]%\?}"
  apt_get update || say "apt-get update failed; trying with the lists that are here"
  all=("${missing[@]}") missing=()
  for package in "${all[@]}"; do
    if [[ $package == *\? ]] && ! apt-cache show "${package%\?}" >/dev/null 2>&1; then
      say "this release has no ${package%\?}: going on without it"
    else
      missing+=("${package%\?}")
    fi
  done
  if ((${#missing[@]} == 0)); then return; fi
  apt_get install -y --no-install-recommends "${missing[@]}" || die "could not install. By hand, as root: $command"
}

# progress: Ninja's output to stderr. On a terminal the steps share one line; when there was nothing to do, nothing.
progress() {
  local line clear="" end=$'\n'
  if [[ -t 2 ]]; then end=$'\r'; fi
  while IFS= read -r line; do
    case $line in
      "ninja: no work to do." | "ninja: Entering directory"* | *"Re-checking globbed directories..." | "-- "*) ;;
      "["*)
        printf '%s%.79s%s' "$clear" "$line" "$end"
        if [[ -t 2 ]]; then clear=$'\e[K'; fi
        ;;
      *) printf '%s%s\n' "$clear" "$line" ;;
    esac
  done >&2
  printf '%s' "$clear" >&2
}

# unchanged PRESET: whether nothing that its build reads was touched since the last good one: a few milliseconds, where
# Ninja needs 40. By the time of the last change of the file or folder itself, which an older file copied over it sets
# too; dpkg's status stands for the system's headers and libraries. Where in doubt, Ninja is asked.
unchanged() {
  local touched
  [[ -x $root/build/$1/tfx ]] || return
  touched=$(find "$root"/{CMakeLists.txt,CMakePresets.json,src,lessons,data} "$root"/tools/{cmake,lib.sh,packages.txt} \
    /var/lib/dpkg/status -cnewer "$root/build/$1/.built" -print -quit 2>/dev/null) && [[ -z $touched ]]
}

# compile PRESET TARGET [CACHE_ENTRY…]: configures where this checkout has no build with those entries (a build copied
# along with its checkout would go on building the old one), then builds. Tests are left out unless an entry asks for
# them: they need packages of their own. In a subshell: tfx gets the user's own environment, the compiler does not, so
# that every machine builds the same.
compile() (
  preset=$1 target=$2 cache=build/$1/CMakeCache.txt
  shift 2
  unset CC CXX CPP CFLAGS CXXFLAGS CPPFLAGS LDFLAGS CMAKE_GENERATOR CMAKE_TOOLCHAIN_FILE CMAKE_BUILD_TYPE CDPATH
  export NINJA_STATUS="[%f/%t] "
  cd "$root" || return
  if ! grep -Fxqs "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$cache"; then rm -rf "build/$preset"; fi
  current=yes
  for entry in "$@"; do grep -Fxqs "$entry" "$cache" || current=no; done
  if [[ $current == no || ! -e build/$preset/build.ninja ]]; then
    say "configuring and building $target ($preset); the first time this takes minutes"
    cmake --preset "$preset" -DTFX_TESTS:BOOL=OFF "${@/#/-D}" </dev/null >/dev/null || return
  fi
  rm -f "build/$preset/.built"
  : >"build/$preset/.building" || return # what is edited while Ninja runs is newer than this
  ninja -C "build/$preset" "$target" </dev/null 2>&1 | progress || return
  mv "build/$preset/.building" "build/$preset/.built"
)

# build "GROUP…" PRESET TARGET [CACHE_ENTRY…]: installs the groups' packages and compiles, one call at a time in this
# checkout; ends the script with status 70 if that fails.
build() {
  local groups=$1
  shift
  mkdir -p "$root/build" || die "cannot make $root/build"
  exec 9>"$root/build/.lock" || die "cannot write in $root/build"
  if ! flock -n 9; then
    say "waiting for another build of this checkout"
    flock 9
  fi
  unconfirmed=()
  # shellcheck disable=SC2086 # the groups are words
  install_packages $groups
  if ! compile "$@" 9>&-; then
    rm -f "$installed" # perhaps a package has gone: ask dpkg next time
    die "the build failed${advice:+; $advice}"
  fi
  if ((${#unconfirmed[@]})); then printf '%s\n' "${unconfirmed[@]}" >>"$installed"; fi
  exec 9>&-
}
