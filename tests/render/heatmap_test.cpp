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

TEST_CASE("without colours weights are shades of the row's largest", "[render][heatmap]") {
  const Step step = weights(Tensor({1, 6}, {0.01, 0.1, 0.2, 0.3, 0.4, 0}), {{"q1"}, {}});
  CHECK(heatmap(step, 0, {}).lines == Lines{"q1 │  ░░▒▒▓▓██--│"});
  Style ascii;
  ascii.ascii = true;
  CHECK(heatmap(step, 0, ascii).lines == Lines{"q1 |  ::++##@@--|"});
}

TEST_CASE("a row of many keys is not blank, and what is blocked is no small weight", "[render][heatmap]") {
  const Step step = weights(Tensor({2, 8}, {1, 0, 0, 0, 0, 0, 0, 0, //
                                            0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125, 0.125}));
  CHECK(heatmap(step, 0, {}).lines == Lines{"0 │██--------------│", "1 │████████████████│"});
  const Step none = weights(Tensor(Shape{1, 2})); // a row that may see nothing
  CHECK(heatmap(none, 0, {}).lines == Lines{"0 │----│"});
  CHECK(contains(heatmap(none, 0, colored(Color::truecolor)).lines[0], "\x1b[2m--\x1b[0m"));
}

TEST_CASE("colours go from the terminal's ground to full", "[render][heatmap]") {
  const Step step = weights(Tensor({1, 3}, {1e-9, 0.25, 0.5}));
  Style light = colored(Color::truecolor);
  light.ground = Ground::light;
  const TextBlock full = heatmap(step, 0, light);
  CHECK(
      contains(full.lines[0],
               "\x1b[48;2;255;247;240m  \x1b[0m\x1b[48;2;253;141;60m  \x1b[0m\x1b[48;2;127;39;4m  \x1b[0m"));
  CHECK(contains(heatmap(step, 0, colored(Color::truecolor)).lines[0],
                 "\x1b[48;2;24;18;14m  \x1b[0m\x1b[48;2;176;78;14m  \x1b[0m\x1b[48;2;255;236;200m  \x1b[0m"));
  CHECK(full.width == display_width(heatmap(step, 0, {}).lines[0]));
  CHECK(
      contains(heatmap(step, 0, colored(Color::basic)).lines[0], "██")); // 16 colours are too few for a scale
}

TEST_CASE("256 colours are the nearest ones that there are", "[render][heatmap]") {
  const Step step = weights(Tensor({1, 5}, {1e-9, 0.25, 0.5, 0.75, 1}));
  const auto cell = [](int index) { return "\x1b[48;5;" + std::to_string(index) + "m  \x1b[0m"; };
  Style light = colored(Color::palette);
  light.ground = Ground::light; // white, orange by orange, dark red: no grey and no pink among them
  CHECK(heatmap(step, 0, light).lines[0] ==
        "\x1b[2m0\x1b[0m │" + cell(231) + cell(223) + cell(209) + cell(166) + cell(88) + "│");
  CHECK(heatmap(step, 0, colored(Color::palette)).lines[0] ==
        "\x1b[2m0\x1b[0m │" + cell(16) + cell(52) + cell(130) + cell(208) + cell(230) + "│");
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
