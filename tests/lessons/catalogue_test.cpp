#include "lessons/catalogue.hpp"

#include "core/resource.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "text/words.hpp"

#include <algorithm>
#include <regex>
#include <sstream>

using namespace tfx;

TEST_CASE("the course is the lessons from 0 on, each once and with its words, appendices behind them",
          "[lessons][catalogue]") {
  int number = 0;
  bool is_behind = false;
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.command);
    is_behind = is_behind || !lesson.number;
    CHECK(lesson.number == (is_behind ? std::nullopt : std::optional(number++)));
    CHECK(number_of(lesson) == (is_behind ? "" : std::to_string(number - 1)));
    CHECK(lesson.folder == "lessons/" + lesson.command);
    CHECK(lesson_named(lesson.command) == &lesson);
    for (const char* file : {"/en.md", "/zh.md"}) {
      REQUIRE(has_resource(lesson.folder + file));
      CHECK(section_of(resource(lesson.folder + file), "title"));
    }
  }
  CHECK(lesson_after("lookup") == lesson_named("words"));
  CHECK(lesson_after("params")->command == "gpt");
  CHECK(lesson_after("modern")->command == "induction");
  CHECK(lesson_after("induction")->command == "lens");
  CHECK(lesson_after("lens")->command == "errata");
  CHECK(lesson_after("bench") == nullptr);
  CHECK(lesson_after("sofmax") == nullptr);
  CHECK(lesson_named("sofmax") == nullptr);
}

TEST_CASE("every lesson is asked before it is shown, whether its page is a run or not",
          "[lessons][catalogue]") {
  for (const Lesson& lesson : lessons())
    for (const char* file : {"/en.md", "/zh.md"})
      for (const char* key : {"predict", "because"}) {
        INFO(lesson.command << file << " " << key);
        const auto text = section_of(resource(lesson.folder + file), key);
        REQUIRE(text);
        // What no run has a number for is said without one.
        CHECK((lesson.on_page == OnPage::whole || text->find('{') == std::string::npos));
      }
}

TEST_CASE("a lesson comes behind those that it builds on", "[lessons][catalogue]") {
  const auto number = [](const char* command) { return lesson_named(command)->number.value(); };
  CHECK(number("words") < number("bpe"));
  CHECK(number("bpe") < number("embed"));
  CHECK(number("embed") < number("masked"));
  CHECK(number("sdpa") < number("masked"));
  CHECK(number("multihead") < number("block"));
  CHECK(number("cross") < number("model"));
  for (const char* command : {"errata", "bench"}) CHECK_FALSE(lesson_named(command)->number);
}

// The catalogue alone numbers them: a number in a text would be wrong from the next change of the order on.
TEST_CASE("no lesson's words say another lesson's number", "[lessons][catalogue]") {
  const std::regex number("[Ll]essons? [0-9]|第 ?[0-9]+ ?课");
  for (const Lesson& lesson : lessons())
    for (const char* file : {"/en.md", "/zh.md", "/numpy.py", "/torch.py", "/code.zh.md"})
      if (has_resource(lesson.folder + file)) {
        INFO(lesson.folder << file);
        const std::string_view text = resource(lesson.folder + file);
        CHECK_FALSE(std::regex_search(text.begin(), text.end(), number));
      }
}

TEST_CASE("what the page has of a lesson stands in its folder", "[lessons][catalogue]") {
  for (const Lesson& lesson : lessons()) {
    INFO(lesson.command);
    CHECK((lesson.run != nullptr) == (lesson.on_page != OnPage::nothing));
    for (const char* file : {"/numpy.py", "/torch.py", "/formula.cpp", "/code.zh.md"})
      CHECK(has_resource(lesson.folder + file) == offers(lesson, "code"));
  }
}

TEST_CASE("what a command offers of a lesson follows from what the page has of it", "[lessons][catalogue]") {
  const auto offered = [](const char* command) {
    std::string list;
    for (const char* name : {"softmax", "model", "train", "decode", "cache", "params", "bench", "errata"})
      if (offers(*lesson_named(name), command)) list += (list.empty() ? "" : " ") + std::string(name);
    return list;
  };
  CHECK(offered("code") == "softmax model train decode cache params");
  CHECK(offered("quiz") == "softmax model train decode cache params");
  CHECK(offered("explain") == "softmax model train decode cache params");
  CHECK(offered("break") == "softmax model train decode cache params");
  CHECK(offered("check") == "softmax model train decode cache params");
  CHECK(offered("inputs") == "softmax model train decode cache params");
}

TEST_CASE("a lesson's result and what its page shows are among what it computes", "[lessons][catalogue]") {
  for (const Lesson& lesson : lessons()) {
    if (!lesson.run) {
      CHECK((lesson.page.empty() && lesson.result.empty()));
      continue;
    }
    INFO(lesson.command);
    const Trace trace = run_lesson(lesson, {}).trace;
    InputOptions with_dropout;
    with_dropout.dropout = 0.5;
    InputOptions with_decay;
    with_decay.optimizer = Optimizer::adamw;
    InputOptions with_model;
    with_model.model = "reverse";
    for (const PageSection& section : lesson.page) {
      for (const std::string& name : section.tensors) {
        INFO(name);
        const bool is_experiment = std::ranges::count(trace.experiments, name, &Experiment::name) > 0;
        if (name.starts_with("dropped")) {
          InputOptions there = with_dropout;
          if (name == "dropped_1") there.dropout_at = DropoutAt::sublayers;
          if (name == "dropped_hidden") there.dropout_at = DropoutAt::hidden;
          CHECK(run_lesson(lesson, there).trace.has(name));
          continue;
        }
        if (name == "neighbours") {
          CHECK(
              std::ranges::count(run_lesson(lesson, with_model).trace.experiments, name, &Experiment::name));
          continue;
        }
        if (name == "decay_W_Q" || name == "descent_W_Q") {
          CHECK(run_lesson(lesson, with_decay).trace.has(name));
          continue;
        }
        REQUIRE(trace.has(name) != is_experiment);
        if (is_experiment || lesson.takes(Input::optimizer)) continue; // which is about parameters
        CHECK(trace.find(name)->role != Role::parameter);
      }
    }
    std::istringstream names(lesson.result);
    CHECK_FALSE(lesson.result.empty());
    for (std::string name; std::getline(names, name, ',');) {
      REQUIRE(trace.has(name));
      const Role role = trace.find(name)->role;
      CHECK((role == Role::result || role == Role::gradient));
    }
  }
}
