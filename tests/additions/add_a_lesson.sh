#!/usr/bin/env bash
# docs/add_a_lesson.md, followed in a copy of the tree: its lesson has a screen in both languages, JSON, explanations,
# gradients, code, a quiz, mistakes and approved screens. Beside it are added an activation, as
# docs/model.md says, and an option, an operation and a command, as
# docs/design.md says: an option is a row and its words in both languages, an operation an object and its name, a command a
# file, a row, a title in both languages and a sample.
#   tests/additions/add_a_lesson.sh BINARY
# Only what the lesson adds or changes is compiled, and linked with the libraries beside BINARY. Prints "ok NAME" or
# "not ok NAME: why" for every test.
self=$(readlink -f -- "${BASH_SOURCE[0]}")
root=${self%/tests/*}
# shellcheck source-path=SCRIPTDIR source=../cli/lib.sh
source "$root/tests/cli/lib.sh"
built=${tfx%/*}
tree=$work/tree

# blocks: the blocks of the page that a line "`FILE`…:" stands above, as $work/blocks/NUMBER, each with its file's name
# in NUMBER.name; whatever a list has indented stands where it would in the file.
blocks() {
  mkdir "$work/blocks"
  awk -v folder="$work/blocks" '
    /^ *`[^`]+`.*:$/ && !inside { split($0, part, "`"); name = part[2]; next }
    /^ *```/ {
      if (inside) { inside = 0; close(file); next }
      inside = 1
      file = "/dev/null"
      if (name == "") next
      indent = match($0, /`/) - 1
      file = folder "/" ++count
      print name >(file ".name")
      close(file ".name")
      name = ""
      next
    }
    inside { print substr($0, indent + 1) >file }
    !/^ *$/ && !inside { name = "" }' "$root/docs/add_a_lesson.md"
}

# insert FILE BLOCK PATTERN: the block before the first line that the pattern matches.
insert() {
  local line
  line=$(grep -nE -m1 -- "$3" "$1" | cut -d: -f1)
  if [[ -z $line ]]; then return 1; fi
  sed -i "$((line - 1))r $2" "$1"
}

# place FILE BLOCK: a new file, or the block where the page says that it belongs.
place() {
  case $1 in
    src/page/formulas.hpp) insert "$tree/$1" "$2" '^} // namespace' ;;
    lessons/catalogue.cpp)
      if grep -q '^Trace' "$2"; then insert "$tree/$1" "$2" '^namespace \{'; else insert "$tree/$1" "$2" '^  });$'; fi
      ;;
    tests/golden/*) rm "$tree"/tests/golden/*.txt && cp "$2" "$tree/$1" ;; # the others are approved elsewhere
    *) mkdir -p "$tree/${1%/*}" && cp "$2" "$tree/$1" ;;
  esac
}

follow() {
  local block
  mkdir "$tree"
  cp -r "$root"/{CMakeLists.txt,CMakePresets.json,src,lessons,data,tests,tools} "$tree/" || return
  blocks
  for block in "$work"/blocks/*.name; do
    place "$(<"$block")" "${block%.name}" || return
  done
}

# another_option: --padding, which means what --pad does.
another_option() {
  local row=src/input/option_table.cpp
  sed -i 's/^\( *\)Row("--pad", .*/\1Row("--padding", \&O::pad, value::count(0)).when(masks),\n&/' "$tree/$row" &&
    ! cmp -s "$root/$row" "$tree/$row" &&
    printf '## option--padding\nlast tokens that nobody sees\n' >>"$tree/src/words/en.md" &&
    printf '## option--padding\n末尾几个词元谁也看不见\n' >>"$tree/src/words/zh.md"
}

# another_operation: the cube of every cell, beside the square root.
another_operation() {
  sed -i 's/^extern const Op sqrt;/extern const Op cube;\n&/' "$tree/src/ops/ops.hpp" &&
    sed -i 's/^constinit const Op op::sqrt = {/constinit const Op op::cube = {.name = "cube", .shape = same_shape, .work = one_a_cell};\n\n&/' \
      "$tree/src/ops/elementwise.cpp"
}

# another_command: tfx greet, which has an option of its own.
another_command() {
  mkdir "$tree/src/cli/greet" && cat >"$tree/src/cli/greet/command.cpp" <<'END' &&
#include "cli/add_option.hpp"
#include "cli/commands.hpp"

namespace tfx {

namespace {

struct GreetOptions {
  bool json = false;
};

} // namespace

Command greet_command() {
  using O = GreetOptions;
  const auto run = [](const O& o, Context& context) { context.out = o.json ? "\"hello\"\n" : "hello\n"; };
  return command_row<O>("greet", run, [](CLI::App& command, O& o, Context&) {
    add_options<O>(command, {{"--json", &O::json}}, o);
  });
}

} // namespace tfx
END
    sed -i 's/ list_command()/ greet_command(), list_command()/; s/ list_command,/ greet_command, list_command,/' \
      "$tree/src/cli/commands.cpp" &&
    printf '## command.greet\nSay hello.\n' >>"$tree/src/words/en.md" &&
    printf '## command.greet\n打招呼。\n' >>"$tree/src/words/zh.md" &&
    sed -i 's/cache | params | doctor/cache | greet | params | doctor/' "$tree/tests/cli/samples.sh"
}

# before FILE PATTERN TEXT: the text before the first line that the pattern matches.
before() {
  printf '%s\n' "$3" >"$work/text" && insert "$tree/$1" "$work/text" "$2"
}

# another_activation: the square of every cell, in every place that docs/model.md names.
another_activation() {
  sed -i 's|^  silu          \(///.*\)|  silu,         \1\n  quadratic     ///< x²|; s|{"silu", Activation::silu}};|{"silu", Activation::silu},\n{"quadratic", Activation::quadratic}};|' \
    "$tree/src/core/architecture.hpp" &&
    before src/kernels/activation.inc '^template <class Real, class Function>$' 'template <class Real>
struct Quadratic {
  static Vector<Real> value(Vector<Real> x) { return x * x; }
  static Vector<Real> derivative(Vector<Real> x) { return all(Real{2}) * x; }
};
' &&
    sed -i 's|^  case Activation::silu: return run(Silu<Real>());|&\n  case Activation::quadratic: return run(Quadratic<Real>());|' "$tree/src/kernels/activation.inc" &&
    before src/page/backward.hpp '^mat silu_backward' 'mat quadratic_backward(const mat\& dA, const mat\& hidden); ///< dA ⊙ 2·hidden' &&
    sed -i 's|\\&|\&|g' "$tree/src/page/backward.hpp" &&
    before lessons/block/backward.cpp '^// x·σ' 'mat quadratic_backward(const mat& dA, const mat& hidden) {
  return dA % (2 * hidden);
}
' &&
    before lessons/block/formula.cpp 'case Activation::silu' '  case Activation::quadratic: return arma::square(hidden);' &&
    before src/ops/ops.hpp '^extern const Op silu_gradient' 'extern const Op quadratic, quadratic_gradient; ///< A², and A ⊙ 2·B' &&
    sed -i 's|&silu_gradient};|\&silu_gradient, \&quadratic, \&quadratic_gradient};|' "$tree/src/ops/ops.hpp" &&
    before src/ops/activations.cpp '^constinit const Op op::gelu_tanh = ' 'constinit const Op op::quadratic = {
    .name = "quadratic",
    .formula = [](const Operation& o) { return "(" + o.inputs[0] + ")²"; },
    .shape = same_shape,
    .value = activation<Activation::quadratic>,
    .rows = {0, 1},
    .columns = {0, 0},
    .work = [](const Computed& c) { return Work{0, c.cells()}; },
    .explain = [](Explanation& e, const CellReader& read) { explain_one(e, read, "(", ")^2", "(", ")²"); },
    .vjp = [](const Computed& c, std::size_t) -> std::optional<Vjp> {
      const std::string d = gradient_name(c.result.name), &A = c.name(0);
      return Vjp{d + "⊙2·" + A, op::quadratic_gradient(d, A)};
    }};

constinit const Op op::quadratic_gradient = {
    .name = "quadratic_gradient",
    .formula = [](const Operation& o) { return o.inputs[0] + "⊙2·" + o.inputs[1]; },
    .shape = cell_for_cell,
    .value = [](const Arguments& in) { return for_each_matrix(in[0], in[1], page::quadratic_backward); },
    .rows = {0, 1},
    .columns = {0, 0},
    .work = [](const Computed& c) { return Work{0, 2 * c.cells()}; },
    .explain = [](Explanation& e, const CellReader& read) {
      const CellRef d = read.here(0), a = read.here(1);
      e.set_single(read.factor(d.value) + "·2·" + read.factor(a.value), {d, a});
      e.formula = read.name(0, d) + "·2·" + read.name(1, a);
    }};
' &&
    before src/steps/layer_steps.cpp 'case Activation::silu' '  case Activation::quadratic: return op::quadratic;' &&
    before src/architecture/config_file.cpp 'case Activation::silu' '  case Activation::quadratic: return relu_steps;'
}

# object MODULE FOLDER: what CMake compiles its files to, together.
object() { echo "CMakeFiles/tfx_$1.dir/Unity/unity_$2_cxx.cxx.o"; }

# build: the lesson's objects, those of the folders whose files name it, and the embedded files. The libraries have all
# others, and what the new objects have already is not taken out of them.
build() {
  local module folder link objects=()
  cmake -S "$tree" -B "$tree/build" --preset "${built##*/}" -DTFX_TESTS=OFF || return
  cd "$tree/build" || return
  while read -r module folder; do objects+=("$(object "$module" "$folder")"); done <<'END'
page page
lessons lessons/temper
lessons lessons
judge src/judge
input src/input
ops src/ops
cli src/cli
cli src/cli/greet
cli src/cli/model
lessons lessons/block
steps src/steps
architecture src/architecture
model src/model
END
  objects+=(CMakeFiles/tfx_kernels.dir/src/kernels/activation.cpp.o)
  objects+=(CMakeFiles/tfx_core.dir/resources.cpp.o CMakeFiles/tfx.dir/src/cli/main.cpp.o)
  ninja "${objects[@]}" || return
  ln -s "$built"/libtfx_*.a .
  link=$(ninja -t commands tfx | tail -n 1)
  bash -c "${link/CMakeFiles\/tfx.dir\/src\/cli\/main.cpp.o/${objects[*]}}"
}

# files_between OLD NEW: how many files are others in the second tree, or new, but those of a lesson's or command's own folder.
files_between() { diff -rq "$1" "$2" | grep -cvE "^Only in $1|/lessons: temper$|/cli: greet$"; }

# adding WHAT: another_WHAT, and how many files it touches in $work/by_WHAT.
adding() {
  rm -rf "$work/before" && mkdir "$work/before" && cp -r "$tree"/{src,tests} "$work/before/" &&
    "another_$1" && files_between "$work/before/src" "$tree/src" >"$work/in_src" &&
    { files_between "$work/before/tests" "$tree/tests" >"$work/in_tests" || true; } &&
    echo $(($(<"$work/in_src") + $(<"$work/in_tests"))) >"$work/by_$1"
}

if ! (follow && files_between "$root" "$tree" >"$work/by_lesson" && adding option && adding operation && adding command && adding activation &&
  build) >"$work/build.log" 2>&1 </dev/null; then
  not_ok "the page's lesson builds" "$(tail -n 5 "$work/build.log")"
  exit 1
fi
ok "the page's lesson builds"
for what in lesson option operation command activation; do
  declare "by_$what=$(<"$work/by_$what")"
  echo "count files touched by one more $what $(<"$work/by_$what")"
done
check "a lesson touches $by_lesson files besides its folder" test "$by_lesson" -le 10
check "an option touches its row and its words in two languages" test "$by_option" = 3
check "an operation touches its family and the page of names" test "$by_operation" = 2
check "a command touches, besides its file, the table, its title in two languages and the samples" test "$by_command" = 4
check "an activation touches, besides its two formulas in lessons/block, seven files" test "$by_activation" = 7
tfx=$tree/build/tfx

decoder=(model --family decoder --activation quadratic --tgt 1,2,3)
shows "the engine has it, and the page says the same" 0 'every check holds' --lang en "${decoder[@]}" --no-time --full
shows "its gradients are its central differences" 0 'along one random direction' --lang en "${decoder[@]}" --gated --labels 2,3,1 --grad --dtype f64 --quiet
shows "a cell of it" 0 ')²' --lang en explain "${decoder[@]:0:1}" decoder.layers.0.feed_forward.hidden 0 0 "${decoder[@]:1}"
shows "a file says it" 0 '' "${decoder[@]}" --save-weights "$work/quadratic.safetensors" --quiet
shows "and is read" 0 'quadratic(' --lang en model decoder --weights "$work/quadratic.safetensors" --tgt 1,2,3 --no-time

shows "its screen" 0 'every score has moved towards 0' --lang en temper --no-time
shows "its screen in Chinese" 0 '每个得分都离 0 近了' --lang zh temper --no-time
shows "its place on the map" 0 'a temperature says how sharply' --lang en list
shows "its JSON" 0 '"name":"tempered_weights"' temper --json
shows "an explained cell" 0 'tempered_weights[' --lang en explain temper tempered_weights 0 0
shows "its gradients" 0 'dscores' --lang en temper --grad --no-time
shows "the formula" 0 'return S / temperature;' code temper
shows "its comments in Chinese" 0 '温度让权重变平' code temper --lang zh
shows "its mistake" 0 'temper.multiplied' --lang en break temper
shows "what notices the mistake" 0 'scores·2' --lang en break temper --with temper.multiplied
shows "its quiz" 1 'temper' --lang en quiz temper --count 2
check "its screens are approved" "$tree/tools/approve" "$tfx"
check "and stay" "$tree/tests/cli/golden.sh" "$tfx"
check "they are those of the lesson" grep -q tempered_weights "$tree/tests/golden/temper.txt"
check "its files stand on the ladder" "$tree/tools/check_ladder"

shows "a command in a file of its own" 0 'hello' greet
shows "its option" 0 '"hello"' greet --json
shows "its title in Chinese" 0 '打招呼' --lang zh greet --help
shows "the list of commands has it" 0 'Say hello.' --lang en --help
shows "the shells offer its option" 0 '--json' complete -- greet --j

shows "a row is an option" 0 '--padding 2' --lang en masked --padding 2 --no-time # in a command to type next
shows "its values" 2 '--padding takes a whole number' --lang en masked --padding x
shows "its help" 0 'last tokens that nobody sees' --lang en masked --help
shows "its help in Chinese" 0 '末尾几个词元谁也看不见' --lang zh masked --help
check "not the help of a lesson that has no use for it" bash -c '! "$1" scores --help | grep -e --padding' bash "$tfx"
shows "its refusal" 2 'it is for softmax, attention, sdpa, masked' --lang en scores --padding 2
shows "its refusal in Chinese" 2 '--padding' --lang zh scores --padding 2
shows "other commands that take a lesson's options" 0 '--padding 2' --lang en break masked --padding 2
shows "the shells offer it" 0 '--padding' complete -- masked --padd
shows "the man page has it" 0 'last tokens that nobody sees' --lang en manual
finish
