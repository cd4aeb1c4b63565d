#include "render/charts.hpp"

#include "render/style.hpp"
#include "support/catch.hpp"
#include "text/display_width.hpp"

#include <algorithm>
#include <limits>

using namespace tfx;

namespace {

Style plain_style(std::size_t width) {
  Style style;
  style.ascii = true, style.width = width;
  return style;
}

std::size_t length(const std::string& line) {
  return static_cast<std::size_t>(std::count(line.begin(), line.end(), '#'));
}

} // namespace

TEST_CASE("bars are logarithmic: equal factors, equal steps", "[render][bars]") {
  const std::vector<std::string> lines =
      bars({{"a", 1, "1 s"}, {"bb", 10, "10 s"}, {"c", 100, "100 s"}}, plain_style(80));
  REQUIRE(lines.size() == 3);
  CHECK(lines[0] == "a   #  1 s");
  CHECK(length(lines[1]) == 21); // 1 + 39/2, rounded
  CHECK(length(lines[2]) == 40);
  CHECK(lines[2].ends_with("  100 s"));
}

TEST_CASE("bars stay within the screen", "[render][bars]") {
  for (const std::size_t width : {20, 40, 80})
    for (const std::string& line : bars({{"name", 1, "text"}, {"名字", 1e9, "文字"}}, plain_style(width)))
      CHECK(display_width(line) <= width);
}

TEST_CASE("what is no positive number has no bar", "[render][bars]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<std::string> lines =
      bars({{"a", 0, "none"}, {"b", 2, ""}, {"c", nan, ""}}, plain_style(80));
  CHECK(lines[0] == "a  none");
  CHECK(length(lines[1]) == 40); // the only one
  CHECK(length(lines[2]) == 0);
}

TEST_CASE("a large count has three digits and a unit", "[render][bars]") {
  CHECK(short_count(640) == "640");
  CHECK(short_count(12.6e9) == "12.6 G");
  CHECK(short_count(999'600) == "1 M");
}
