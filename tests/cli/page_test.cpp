// How long the pages of the lessons are, as a learner with a terminal of 80 columns and 24 rows gets them.

#include "lessons/catalogue.hpp"
#include "support/catch.hpp"
#include "support/command_line.hpp"
#include "text/display_width.hpp"

#include <algorithm>
#include <set>
#include <sstream>

namespace tfx {

namespace {

std::vector<std::string> rows_of(const std::string& page) {
  std::vector<std::string> rows;
  std::istringstream text(page);
  for (std::string row; std::getline(text, row);) rows.push_back(row);
  return rows;
}

std::vector<std::string> page_of(const Lesson& lesson, const std::string& language) {
  std::vector<std::string> line = words_of(lesson.typed);
  line.insert(line.end(), {"--lang", language, "--width", "80", "--no-time"});
  const Ran ran = run_command_line(line);
  REQUIRE(ran.status == 0);
  return rows_of(ran.out);
}

} // namespace

TEST_CASE("a page says the point within 24 rows and has at most 60, or sections of at most 24",
          "[cli][page]") {
  for (const Lesson& lesson : page_lessons()) {
    for (const std::string language : {"en", "zh"}) {
      INFO(lesson.command << " " << language);
      const std::vector<std::string> rows = page_of(lesson, language);
      std::size_t longest = 0, begun = 0, sections = 0;
      for (std::size_t i = 0; i < rows.size(); ++i) {
        CHECK(display_width(rows[i]) <= 80);
        if (!rows[i].starts_with("── ")) continue;
        if (sections++ > 0) longest = std::max(longest, i - begun);
        begun = i;
      }
      CHECK(longest <= 24);
      if (sections == 0) CHECK(rows.size() <= 60);
      const std::set<std::string> sixty{"bpe",   "words", "attention", "masked", "multihead",
                                        "cross", "block", "decode",    "cache",  "params"};
      if (sixty.contains(lesson.command)) CHECK(rows.size() <= 60);
      const std::string look = language == "en" ? "look " : "细看 ";
      const auto first = std::ranges::find_if(rows, [&](const auto& row) { return row.starts_with(look); });
      CHECK(first - rows.begin() < 24);
    }
  }
}

TEST_CASE("what comes next is never empty, on one's own words and under --full too", "[cli][page]") {
  std::size_t own = 0;
  for (const Lesson& lesson : page_lessons())
    for (const std::vector<std::string>& more : {std::vector<std::string>{},
                                                 {"--text", "the cat the"},
                                                 {"--full"},
                                                 {"--text", "the cat the", "--full"}}) {
      std::vector<std::string> line = words_of(lesson.typed);
      line.insert(line.end(), {"--lang", "en", "--no-time"});
      line.insert(line.end(), more.begin(), more.end());
      const Ran ran = run_command_line(line);
      if (!more.empty() && ran.status != 0) continue; // a lesson without texts
      own += more.size() > 1;
      CAPTURE(line);
      for (const std::string& row : rows_of(ran.out))
        CHECK(row.substr(0, row.find_last_not_of(' ') + 1) != "next");
    }
  CHECK(own > 20);
}

} // namespace tfx
