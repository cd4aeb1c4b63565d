// Heat maps and line charts.

#include "render/html/charts.hpp"
#include "render/html/matrix_table.hpp"

#include "support/catch.hpp"
#include "support/markup.hpp"

#include <cmath>
#include <limits>

using namespace tfx;

namespace {

Step weights_of(const Tensor& value, const Labels& labels) {
  Step step;
  step.name = "weights", step.value = value, step.labels = labels;
  return step;
}

} // namespace

TEST_CASE("a square of a heat map says who looks at whom and how much", "[render][html]") {
  const Step step = weights_of(Tensor({2, 2}, {0.25, 0.75, 0, 1}), {{"I", "you"}, {"a", "b"}});
  const Node picture = parse_markup(heat_map(step, 0, Style(), nullptr).markup());
  const auto squares = all_tagged(picture, "rect");
  const auto titles = all_tagged(picture, "title");
  REQUIRE(squares.size() == 4);
  REQUIRE(titles.size() == 4);
  CHECK(text_of(*titles[1]) == "I → b: 0.75");
  CHECK(text_of(*titles[3]) == "you → b: 1");
  CHECK(squares[0]->attributes.at("fill-opacity") == "0.250");
  CHECK(squares[2]->attributes.at("fill-opacity") == "0.000");
  CHECK(squares[3]->attributes.at("fill-opacity") == "1.000");
}

TEST_CASE("NaN has no colour, and a large picture leaves out its middle", "[render][html]") {
  const double nan = std::nan("");
  const Step one = weights_of(Tensor({1, 1}, {nan}), {{}, {}});
  const Node picture = parse_markup(heat_map(one, 0, Style(), nullptr).markup());
  CHECK(all_tagged(picture, "rect").at(0)->attributes.count("fill-opacity") == 0);
  CHECK(text_of(*all_tagged(picture, "title").at(0)) == "0 → 0: nan");
  const Step large = weights_of(Tensor({40, 40}), {{}, {}});
  CHECK(all_tagged(parse_markup(heat_map(large, 0, Style(), nullptr).markup()), "rect").size() == 30 * 30);
}

TEST_CASE("a line has a point for every value, or for pieces of many", "[render][html]") {
  const Node few =
      parse_markup(line_chart({3, 2, std::numeric_limits<double>::infinity(), 1}, "loss", Style()).markup());
  const auto titles = all_tagged(few, "title");
  REQUIRE(titles.size() == 3);
  CHECK(text_of(*titles[0]) == "1: 3");
  CHECK(text_of(*titles[2]) == "4: 1");
  std::vector<double> many(1000);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  const Node pieces = parse_markup(line_chart(many, "loss", Style()).markup());
  const auto grouped = all_tagged(pieces, "title");
  CHECK(grouped.size() == 120);
  CHECK(text_of(*grouped[0]) == "1–8: 3.5"); // 0 … 7
  CHECK(line_chart({1}, "loss", Style()).empty());
  const Node behind = parse_markup(line_chart({3, 2}, "loss", Style(), 50).markup());
  const auto later = all_tagged(behind, "title");
  REQUIRE(later.size() == 2); // where its numbers begin
  CHECK(text_of(*later[1]) == "51: 2");
}

TEST_CASE("a table has its words as headers, with their scope", "[render][html]") {
  const Step step = weights_of(Tensor({2, 2}, {1, 2.5, 3, 4}), {{"I", "<b>"}, {}});
  const Node table = parse_markup(matrix_table(step, 0, Style(), nullptr).markup());
  const auto headers = all_tagged(table, "th");
  REQUIRE(headers.size() == 4);
  CHECK(text_of(*headers[0]) == "0");
  CHECK(headers[0]->attributes.at("scope") == "col");
  CHECK(text_of(*headers[3]) == "<b>");
  CHECK(headers[3]->attributes.at("scope") == "row");
  std::string cells;
  for (const Node* cell : all_tagged(table, "td")) cells += text_of(*cell) + " ";
  CHECK(cells == " 1.0 2.5 3.0 4.0 ");
}
