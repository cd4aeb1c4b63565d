#include "render/matrix.hpp"

#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"
#include "text/display_width.hpp"

#include <limits>

using namespace tfx;

namespace {

using Lines = std::vector<std::string>;
constexpr double inf = std::numeric_limits<double>::infinity();

Step step_of(Tensor value, Labels labels = {}) {
  Step step;
  step.name = "A";
  step.value = std::move(value);
  labels.resize(step.value.rank());
  step.labels = std::move(labels);
  return step;
}

Tensor counting(const Shape& shape) {
  Tensor tensor(shape);
  for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data[i] = static_cast<double>(i);
  return tensor;
}

Lines shown(const Step& step, std::size_t width = 80, const Style& style = {}) {
  const TextBlock block = matrix_block(step, 0, style, width);
  for (const std::string& line : block.lines) CHECK(display_width(line) == block.width);
  return block.lines;
}

} // namespace

TEST_CASE("columns are aligned, with one number of decimals", "[render][matrix]") {
  CHECK(shown(step_of(Tensor({2, 2}, {1, -2.5, 10, 0}))) == Lines{" 1.0  -2.5", "10.0   0.0"});
  CHECK(shown(step_of(Tensor({2, 2}, {1, -2, 10, 0}))) ==
        Lines{" 1  -2", "10   0"}); // integers stay integers
  CHECK(shown(step_of(Tensor({1, 2}, {1.0 / 3, 1e-9}))) == Lines{"0.3333  1.0e-09"});
  CHECK(shown(step_of(Tensor(Shape{3}, {1, 20, 3}))) == Lines{" 1", "20", " 3"}); // a vector is a column
  CHECK(shown(step_of(Tensor(Shape{}, {7}))) == Lines{"7"});
}

TEST_CASE("infinities and NaN have their signs", "[render][matrix]") {
  const Step step = step_of(Tensor({1, 3}, {-inf, inf, std::numeric_limits<double>::quiet_NaN()}));
  CHECK(shown(step) == Lines{"−∞  ∞  nan"});
  Style ascii;
  ascii.ascii = true;
  CHECK(shown(step, 80, ascii) == Lines{"-inf  inf  nan"});
  CHECK(shown(step_of(Tensor({2, 1}, {-inf, 0.5}))) == Lines{" −∞", "0.5"});
}

TEST_CASE("labels stand beside rows and above columns", "[render][matrix]") {
  CHECK(shown(step_of(Tensor({2, 2}, {1, 2, 3, 4}), {{"q1", "word"}, {"k1", "key"}})) ==
        Lines{"      k1  key", "q1     1    2", "word   3    4"});
  // A CJK character takes two columns.
  CHECK(shown(step_of(Tensor({2, 2}, {1, 2, 3, 4}), {{"我", "爱你们"}, {"我", "你"}})) ==
        Lines{"        我  你", "我       1   2", "爱你们   3   4"});
}

TEST_CASE("a long label is cut, a control character is made visible", "[render][matrix]") {
  const Lines lines = shown(step_of(Tensor({1, 1}, {1}), {{"abcdefghijklmnopqrstuvwxyz"}, {}}));
  CHECK(lines == Lines{"abcdefghijklmno…  1"});
  const Lines escaped = shown(step_of(Tensor({1, 1}, {1}), {{"a\x1b[2J"}, {}}));
  CHECK(escaped[0].find('\x1b') == std::string::npos);
}

TEST_CASE("a long matrix is summarised", "[render][matrix]") {
  CHECK(shown(step_of(counting({12, 1}))).size() == 12);
  const Lines lines = shown(step_of(counting({13, 1})));
  CHECK(lines == Lines{" 0", " 1", " 2", " …", "10", "11", "12"});
}

TEST_CASE("a wide matrix is summarised to the width it has", "[render][matrix]") {
  for (std::size_t width : {20, 40, 60, 80, 200}) {
    INFO(width);
    const TextBlock block = matrix_block(step_of(counting({3, 100})), 0, {}, width);
    CHECK(block.width <= width);
    CHECK(block.width > width / 2 - 6); // and uses it
    CHECK(block.lines[0].find("…") != std::string::npos);
    CHECK(block.lines[0].substr(0, 3) == "  0");
    CHECK(block.lines[2].substr(block.lines[2].size() - 3) == "299");
  }
  CHECK(shown(step_of(counting({1, 8})), 22) == Lines{"0  1  2  3  4  5  6  7"}); // just fits
  CHECK(shown(step_of(counting({1, 8})), 21)[0].find("…") != std::string::npos);
}

TEST_CASE("no tensor of any lesson is wider than the screen", "[render][matrix]") {
  for (const LessonCase& one : tutorial_cases()) {
    const Trace trace = run_lesson(*one.lesson, one.options).trace;
    for (const Step& step : trace.steps)
      for (std::size_t width : {40, 80}) {
        const TextBlock block = matrix_block(step, 0, {}, width);
        INFO(one.name << " " << step.name << " at " << width);
        REQUIRE(block.width <= width);
        for (const std::string& line : block.lines) REQUIRE(display_width(line) == block.width);
      }
  }
}

TEST_CASE("which rows are shown", "[render][matrix]") {
  using Positions = std::vector<std::size_t>;
  CHECK(shown_of(3, 3, 1).positions == Positions{0, 1, 2});
  CHECK(shown_of(10, 5, 2).positions == Positions{0, 1, Shown::gap, 8, 9});
  CHECK(shown_of(0, 5, 2).positions.empty());
}

TEST_CASE("one matrix of a stack, and its name", "[render][matrix]") {
  const Step step = step_of(counting({2, 3, 1, 2}));
  CHECK(matrix_block(step, 4, {}, 80).lines == Lines{"8  9"});
  CHECK(slice_name(step, 4) == "A[1, 1, :, :]");
  CHECK(slice_name(step_of(counting({2, 2})), 0) == "");
  CHECK(header_line(step, {}) == "A  2×3×1×2");
}

TEST_CASE("a product is drawn as one does it by hand", "[render][matrix]") {
  const Trace trace = run_lesson(find_lesson("scores"), {}).trace;
  const auto block = product_block(trace, *trace.find("scores"), {});
  REQUIRE(block);
  CHECK(block->lines.size() == 1 + 3 + 1 + 4); // keys, Kᵀ, the name of Q, Q beside the scores
  CHECK(block->lines[1].find("Kᵀ") != std::string::npos);
  CHECK(block->lines[5] == "q1  2  0  2    8   2  10   2");
  Style narrow;
  narrow.width = 20;
  CHECK_FALSE(product_block(trace, *trace.find("scores"), narrow));
  CHECK_FALSE(product_block(trace, *trace.find("X"), {}));
  const Trace attention = run_lesson(find_lesson("attention"), {}).trace;
  CHECK(product_block(attention, *attention.find("output"), {}));
  const Trace batch = run_lesson(find_lesson("sdpa"), {}).trace;
  CHECK_FALSE(product_block(batch, *batch.find("scores"), {}));
}

TEST_CASE("blocks stand beside each other while they fit", "[render][block]") {
  TextBlock a, b;
  a.add("aa"), a.add("a");
  b.add("bbb");
  CHECK(place({a, b}, 8) == Lines{"aa   bbb", "a"});
  CHECK(place({a, b}, 7) == Lines{"aa", "a", "", "bbb"});
  CHECK(place({a}, 1) == Lines{"aa", "a"});
}

TEST_CASE("a cell stands in one matrix of its tensor", "[render]") {
  CHECK(slice_with(Tensor({2, 3, 4}), {0, 2, 3}) == 0);
  CHECK(slice_with(Tensor({2, 3, 4}), {1, 0, 0}) == 1);
  CHECK(slice_with(Tensor({2, 5, 3, 4}), {1, 3, 2, 1}) == 8);
  CHECK(slice_with(Tensor({3, 4}), {2, 3}) == 0);
  CHECK(slice_with(Tensor(Shape{4}), {3}) == 0);
}
