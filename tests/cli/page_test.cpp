// How long the pages of the lessons are, as a learner with a terminal of 80 columns and 24 rows gets them.

#include "cli/lesson/screen.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/run.hpp"
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

std::vector<std::string> shown_by(const std::string& typed, const std::string& language,
                                  bool with_time = false) {
  std::vector<std::string> line = words_of(typed);
  line.insert(line.end(), {"--lang", language, "--width", "80"});
  if (!with_time) line.emplace_back("--no-time");
  const Ran ran = run_command_line(line);
  REQUIRE(ran.status == 0);
  return rows_of(ran.out);
}

// Every page that a lesson's command shows, by what is typed for it.
std::vector<std::string> pages() {
  std::vector<std::string> typed;
  for (const Lesson& lesson : lessons()) {
    if (lesson.on_page != OnPage::whole && lesson.on_page != OnPage::model) continue;
    typed.push_back(lesson.typed);
    for (const FurtherPage& page : lesson.further) typed.push_back(typed_of(lesson, page.name));
  }
  return typed;
}

} // namespace

TEST_CASE("a page has as many rows on a busy machine as on a quiet one", "[cli][page]") {
  for (const char* name : {"modern", "rope", "multihead", "softmax"}) {
    const Lesson& lesson = *lesson_named(name);
    LessonRun run = run_lesson(lesson, {}, RunFor::times);
    Screen screen = screen_of(lesson, {}, run.trace);
    turn_to(screen, lesson, {});
    const auto rows_with = [&](double q3) {
      for (Step& step : run.trace.steps) step.timing = Timing{1e-5, 1e-5, q3, 1e-5, 3};
      return rows_of(render_page(run.trace, screen, words_in(lesson.folder), Style())).size();
    };
    INFO(name);
    CHECK(rows_with(9e-5) == rows_with(1e-5));
  }
}

TEST_CASE("a page says within 24 rows where to look, and has at most 60", "[cli][page]") {
  CHECK(pages().size() > page_lessons().size() + 6);
  for (const std::string& page : pages()) {
    for (const std::string language : {"en", "zh"}) {
      INFO(page << " " << language);
      const std::vector<std::string> rows = shown_by(page, language);
      for (const std::string& row : rows) CHECK(display_width(row) <= 80);
      CHECK(rows.size() <= 60);
      CHECK(shown_by(page, language, true).size() <= 60);
      const std::string look = language == "en" ? "look " : "细看 ";
      const auto first = std::ranges::find_if(rows, [&](const auto& row) { return row.starts_with(look); });
      CHECK(first - rows.begin() < 24);
    }
  }
}

TEST_CASE(
    "each page of a lesson leads to the next one, with the learner's words, the last to the next lesson",
    "[cli][page]") {
  for (const Lesson& lesson : lessons()) {
    if (lesson.further.empty()) continue;
    for (std::string page, next; page.empty() || !next.empty(); page = next) {
      next = page_after(lesson, page);
      const std::string after = next.empty() ? lesson_after(lesson.command)->typed : typed_of(lesson, next);
      INFO(typed_of(lesson, page));
      std::vector<std::string> line = words_of(typed_of(lesson, page));
      line.insert(line.end(), {"--lang", "en"});
      CHECK(run_command_line(line).out.find("\nnext     tfx " + after) != std::string::npos);
      line.insert(line.end(), {"--text", lesson.command == "model" ? "stop" : "the cat sat"});
      const std::string own = run_command_line(line).out;
      CHECK(own.find("\nnext     tfx " + after + (next.empty() ? "" : " --text ")) != std::string::npos);
      if (next.empty()) break;
    }
  }
}

TEST_CASE("costs and counts of cells are folded before masked, and nowhere under --full", "[cli][page]") {
  bool is_early = true;
  for (const Lesson& lesson : page_lessons()) {
    is_early = is_early && lesson.command != "masked";
    const auto has_cost = [](const std::vector<std::string>& rows) {
      return std::ranges::any_of(rows, [](const std::string& row) { return row.starts_with("cost "); });
    };
    INFO(lesson.command);
    CHECK(has_cost(shown_by(lesson.typed, "en")) == !is_early);
    CHECK(has_cost(shown_by(lesson.typed + " --full", "en")));
  }
}

TEST_CASE("a page of drawn numbers names a command that has learned ones", "[cli][page]") {
  std::size_t named = 0;
  for (const Lesson& lesson : page_lessons()) {
    std::string page;
    for (const std::string& row : shown_by(lesson.typed, "en"))
      for (const std::string& word : words_of(row)) page += word + " ";
    const std::size_t begin = page.find("Learned ones: ");
    if (begin == std::string::npos) continue;
    INFO(lesson.command);
    const std::string command = page.substr(begin, 100);
    ++named;
    if (lesson.takes(Input::rotary)) { // of which no model is shipped
      CHECK_THAT(command, Catch::Matchers::ContainsSubstring("--preset llama-micro"));
      continue;
    }
    CHECK_THAT(command, Catch::Matchers::ContainsSubstring("en-zh"));
    CHECK_THAT(command, Catch::Matchers::ContainsSubstring("click the red cell"));
  }
  CHECK(named > 8);
}

TEST_CASE("a page that a lesson has not, or beside what shows all of it, is refused", "[cli][page]") {
  const auto refused = [](const std::string& typed) {
    const Ran ran = run_command_line(words_of(typed + " --lang en"));
    CHECK(ran.status == 2);
    return ran.err;
  };
  CHECK_THAT(refused("loss bakc"), Catch::Matchers::ContainsSubstring("loss has no page \"bakc\""));
  CHECK_THAT(refused("loss bakc"), Catch::Matchers::ContainsSubstring("back, weights, smoothing"));
  CHECK_THAT(refused("model encoder --family decoder"),
             Catch::Matchers::ContainsSubstring("has no page \"encoder\""));
  for (const char* option : {"--full", "--step", "--json", "--quiet", "--show loss"})
    for (const char* page : {"loss back ", "train step adam ", "model decoder "}) {
      if (page == std::string("model decoder ") && option == std::string("--show loss")) continue;
      CHECK_THAT(refused(page + std::string(option)), Catch::Matchers::ContainsSubstring("one page of it"));
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
