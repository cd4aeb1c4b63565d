#include "render/html/explanation.hpp"

#include "cli/lesson/save.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"

using namespace tfx;

TEST_CASE("an explanation is a list, each cell above those that it was made of", "[render][html]") {
  const Trace trace = run_lesson(find_lesson("softmax"), {}, RunFor::values).trace;
  const BothWords words = both_words("lessons/softmax");
  const Bilingual both(trace, words, Style());
  ExplanationHtml form(both, 8);
  explain_down(trace, "weights", {0, 1}, 2, {8, 4}, form);
  const std::string html = form.list().markup();
  INFO(html);
  const std::string
      cell = "weights[q1, k2] = exponentials[q1, k2] / row_sum[q1, 0]<br>= 0.0099 / 1.3349<br>= 0.0074",
      first = "exponentials[q1, k2] = exp(shifted[q1, k2])",
      deeper = "shifted[q1, k2] = scaled[q1, k2] − row_max[q1, 0]",
      second = "row_sum[q1, 0] = Σ exponentials[q1, :]";
  for (const std::string& text : {cell, first, deeper, second}) CHECK(html.find(text) != std::string::npos);
  CHECK(html.find(cell) < html.find(first));
  CHECK(html.find(deeper) < html.find(second));
  const auto nested = [&](const std::string& text) { // lists that are open there
    int depth = 0;
    for (std::size_t at = 0; at < html.find(text); ++at)
      depth += html.compare(at, 4, "<ul>") == 0 || html.compare(at, 4, "<ul ") == 0 ? 1
               : html.compare(at, 5, "</ul>") == 0                                  ? -1
                                                                                    : 0;
    return depth;
  };
  CHECK(nested(cell) == 1);
  CHECK(nested(first) == 2);
  CHECK(nested(deeper) == 3);
  CHECK(nested(second) == 2);
  CHECK(form.bytes() > 500);
  CHECK(form.bytes() < html.size());
}

TEST_CASE("what an explanation quotes cannot drive a terminal", "[render][html]") {
  Trace trace;
  trace.add_input("X", "given", Tensor({1, 1}, {2}), {{"a\x1b[31m\n"}, {"b"}});
  const BothWords words = both_words();
  const Bilingual both(trace, words, Style());
  ExplanationHtml form(both, 8);
  explain_down(trace, "X", {0, 0}, 1, {8, 4}, form);
  const std::string html = form.list().markup();
  INFO(html);
  CHECK(html.find('\x1b') == std::string::npos);
  CHECK(html.find("X[a\\x1b[31m\\n, b] = 2") != std::string::npos);
}
