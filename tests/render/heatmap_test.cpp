#include "render/heatmap.hpp"

#include "support/catch.hpp"
#include "text/display_width.hpp"

#include <algorithm>
#include <limits>

using namespace tfx;

namespace {

using Lines = std::vector<std::string>;

Step weights(Tensor value, Labels labels = {}) {
  Step step;
  step.name = "weights";
  step.value = std::move(value);
  labels.resize(step.value.rank());
  step.labels = std::move(labels);
  return step;
}

Style colored(Color color) {
  Style style;
  style.color = color;
  return style;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("without colours weights are shades", "[render][heatmap]") {
  const Step step = weights(Tensor({1, 6}, {0, 0.3, 0.5, 0.7, 0.9, 1}), {{"q1"}, {}});
  CHECK(heatmap(step, 0, {}).lines == Lines{"q1 │  ░░▒▒▓▓████│"});
  Style ascii;
  ascii.ascii = true;
  CHECK(heatmap(step, 0, ascii).lines == Lines{"q1 |  --++##@@@@|"});
}

TEST_CASE("colours go from light to full", "[render][heatmap]") {
  const Step step = weights(Tensor({1, 3}, {0, 0.5, 1}));
  const TextBlock full = heatmap(step, 0, colored(Color::truecolor));
  CHECK(
      contains(full.lines[0],
               "\x1b[48;2;255;245;235m  \x1b[0m\x1b[48;2;253;141;60m  \x1b[0m\x1b[48;2;127;39;4m  \x1b[0m"));
  const TextBlock palette = heatmap(step, 0, colored(Color::palette));
  CHECK(contains(palette.lines[0], "\x1b[48;5;224m  \x1b[0m"));
  CHECK(contains(palette.lines[0], "\x1b[48;5;88m  \x1b[0m"));
  CHECK(full.width == palette.width);
  CHECK(full.width == display_width(heatmap(step, 0, {}).lines[0]));
  CHECK(
      contains(heatmap(step, 0, colored(Color::basic)).lines[0], "██")); // 16 colours are too few for a scale
}

TEST_CASE("every row is as wide as the block, whatever its label", "[render][heatmap]") {
  const Step step = weights(Tensor(Shape{3, 2}), {{"我", "a very long word indeed", "b"}, {}});
  const TextBlock block = heatmap(step, 0, {});
  for (const std::string& line : block.lines) CHECK(display_width(line) == block.width);
  CHECK(block.width == 12 + 3 + 4); // a label is cut to 12 columns
}

TEST_CASE("a weight that is no number, or outside 0 … 1, does not break the picture", "[render][heatmap]") {
  const Step step = weights(Tensor({1, 3}, {std::numeric_limits<double>::quiet_NaN(), -1, 7}));
  CHECK(heatmap(step, 0, {}).lines == Lines{"0 │??  ██│"});
  CHECK(contains(heatmap(step, 0, colored(Color::truecolor)).lines[0], "??"));
}

TEST_CASE("a large picture leaves out its middle", "[render][heatmap]") {
  const TextBlock block = heatmap(weights(Tensor(Shape{40, 40})), 0, {});
  CHECK(block.lines.size() == 31); // 15 rows, a gap, 15 rows
  CHECK(block.width == 2 + 3 + 2 * 31);
  CHECK(contains(block.lines[15], "…"));
  CHECK(contains(block.lines[0], " :"));
  CHECK(heatmap(weights(Tensor(Shape{32, 32})), 0, {}).lines.size() == 32);
}

TEST_CASE("a picture is no wider than its screen", "[render][heatmap]") {
  Style style;
  for (style.width = 24; style.width <= 90; ++style.width)
    for (const std::size_t columns : {1, 2, 18, 30, 32, 33, 200}) {
      const Step step = weights(Tensor(Shape{3, columns}), {{"我", "a very long word indeed", "b"}, {}});
      const TextBlock block = heatmap(step, 0, style);
      CAPTURE(style.width, columns);
      CHECK(block.width <= style.width);
      CHECK(block.width + 4 >=
            std::min<std::size_t>(style.width, 15 + 2 * std::min<std::size_t>(columns, 31)));
      for (const std::string& line : block.lines) CHECK(display_width(line) == block.width);
    }
}

TEST_CASE("five levels: the tutorial's thresholds, each above its number", "[render][heatmap]") {
  const Step step = weights(Tensor({2, 5}, {0.31, 0.3, 0.2, 0.1, 0.05, 1, 0.21, 0.11, 0.051, 0}),
                            {{"The", "cat"}, {"The", "cat", "eats", "river", "[PAD]"}});
  CHECK(five_levels(step, 0, {}).lines == Lines{
                                              "               The     cat    eats   river   [PAD]",
                                              std::string(50, '-'),
                                              "     The |     ###      ##       #       .        ",
                                              "     cat |     ###      ##       #       .        ",
                                          });
}

TEST_CASE("five levels fit a narrow screen", "[render][heatmap]") {
  const Step step = weights(Tensor(Shape{3, 10}), {{"one", "two", "a longer word"}, {}});
  for (std::size_t width : {20, 40, 60, 80}) {
    INFO(width);
    Style style;
    style.width = width;
    const TextBlock block = five_levels(step, 0, style);
    CHECK(block.width <= width);
    for (const std::string& line : block.lines) CHECK(display_width(line) <= width);
  }
}
