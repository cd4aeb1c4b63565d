#include "render/charts.hpp"

#include "support/catch.hpp"

#include <cmath>

using namespace tfx;

namespace {

// The line of a picture in stars, from the top, in which a column has its star.
std::size_t height_of(const TextBlock& block, std::size_t column) {
  const std::size_t axis = block.lines[0].find('|');
  for (std::size_t row = 0; row < block.lines.size(); ++row)
    if (block.lines[row].size() > axis + 1 + column && block.lines[row][axis + 1 + column] == '*') return row;
  return block.lines.size();
}

Style stars() {
  Style style;
  style.ascii = true;
  return style;
}

} // namespace

TEST_CASE("positive values more than fifty times apart stand at their logarithms", "[render]") {
  CHECK(is_logarithmic({1, 51}));
  CHECK_FALSE(is_logarithmic({1, 49}));
  CHECK_FALSE(is_logarithmic({0, 51}));
  CHECK_FALSE(is_logarithmic({-1, 51}));
  CHECK(is_logarithmic({std::nan(""), 1, 51, HUGE_VAL}));
  CHECK_FALSE(is_logarithmic({1, HUGE_VAL}));
  CHECK_FALSE(is_logarithmic({}));
}

TEST_CASE("a curve goes from its largest value to its smallest, both at the axis", "[render]") {
  const TextBlock line = curve({1, 2, 3, 4, 5}, 1, 7, 5, stars()); // "5 |" and five columns less one
  REQUIRE(line.lines.size() == 6);
  CHECK(line.lines[0].starts_with("5 |"));
  CHECK(line.lines[4].starts_with("1 |"));
  CHECK(line.lines[5].find('1') < line.lines[5].find('5'));
  CHECK(height_of(line, 0) == 4);
  // On a line 10 lies near the bottom of 1 … 1000, at their logarithms at a third of the way.
  CHECK(height_of(curve({1, 10, 1000}, 1, 9, 10, stars()), 1) == 6);
  CHECK(height_of(curve({0, 10, 1000}, 1, 9, 10, stars()), 1) == 9);
  CHECK(curve({std::nan(""), HUGE_VAL}, 1, 20, 5, stars()).lines.empty());
}
