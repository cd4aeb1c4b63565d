// Runs with a mistake in them.

#include "input/options.hpp"
#include "judge/property.hpp"
#include "judge/wrong_run.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"
#include "support/lesson_trace.hpp"

using namespace tfx;

namespace {

bool holds(const std::string& property, const std::string& command, const std::vector<const Mistake*>& made) {
  const Lesson& lesson = find_lesson(command);
  for (const PropertyVerdict& verdict :
       verdicts(lesson, resolve_input(InputOptions{}, lesson), computation_of(lesson, made)))
    if (verdict.property == property) return verdict.measured.holds;
  FAIL("no such property: " + property);
  return false;
}

} // namespace

TEST_CASE("what follows a mistake is computed again", "[judge][mistakes]") {
  const Trace right = trace_of("attention");
  const WrongRun run = run_wrong(right, {find_mistake("softmax.no_scale")});
  CHECK(run.made == std::vector<std::string>{"scaled"});
  CHECK(run.changed == std::vector<std::string>{"scaled", "weights", "output"});
  CHECK(run.trace["scaled"] == right["scores"]);
  CHECK_FALSE(run.stops);
  // Two mistakes at once: softmax(scores) down the columns.
  const WrongRun both =
      run_wrong(right, {find_mistake("softmax.no_scale"), find_mistake("softmax.wrong_axis")});
  CHECK(both.trace["weights"].data != run.trace["weights"].data);
  CHECK(matrix(both.trace["weights"]).is_finite());
}

TEST_CASE("no mistake is no change", "[judge][mistakes]") {
  for (const Lesson& lesson : page_lessons()) {
    const WrongRun run = run_wrong(trace_of(lesson.command), {});
    CHECK(run.changed.empty());
  }
}

TEST_CASE("a mistake that shows nothing on the default input does on the one that it names",
          "[judge][mistakes]") {
  std::size_t named = 0;
  for (const Mistake& mistake : mistakes()) {
    if (mistake.seen_with.empty()) continue;
    const auto at = [&](const Lesson& lesson) { return lesson.folder == mistake.folder; };
    const Lesson& lesson = *std::ranges::find_if(page_lessons(), at);
    InputOptions options;
    const auto changes = [&] {
      return !run_wrong(run_lesson(lesson, options).trace, {&mistake}).changed.empty();
    };
    INFO(mistake.id);
    CHECK_FALSE(changes());
    for (const auto& [name, value] : mistake.seen_with)
      std::ranges::find(input_options(), name, &Option<InputOptions, InputRules>::name)->read(options, value);
    CHECK(changes());
    ++named;
  }
  // Of byte pairs: a run of equal symbols, a word that two merges want to cut. Of rope: another base. Of
  // modern: a window, four heads.
  CHECK(named == 6);
}

TEST_CASE("a property holds of the right run and not of the wrong one", "[judge][mistakes]") {
  CHECK(holds("rows_sum_to_one", "attention", {}));
  CHECK_FALSE(holds("rows_sum_to_one", "attention", {find_mistake("softmax.wrong_axis")}));
  CHECK(holds("shapes", "attention", {find_mistake("softmax.wrong_axis")})); // which is the lesson
}

TEST_CASE("a wrong run stops where shapes do not fit, gradients too, and nowhere else", "[judge][mistakes]") {
  const TemporaryFolder folder;
  const std::vector<LessonCase> own = own_cases(folder); // hundreds
  std::vector<LessonCase> cases;
  for (std::size_t i = 0; i < own.size(); i += 5) cases.push_back(own[i]);
  InputOptions padded;
  padded.text = "a b", padded.pad = 3; // cross.kv_from_decoder has two keys
  cases.push_back({"cross, more padding than words", &find_lesson("cross"), padded});
  for (const Lesson& lesson : page_lessons()) {
    InputOptions with_gradients;
    with_gradients.grad = true;
    if (first_unfit(input_options(), with_gradients, InputRules(lesson))) continue;
    cases.push_back({lesson.command + ", gradients", &lesson, with_gradients});
  }
  std::size_t stopped = 0;
  for (const LessonCase& one : cases) {
    const Trace right = run_lesson(*one.lesson, one.options).trace;
    for (const Mistake& mistake : mistakes()) {
      INFO(one.name << ": " << mistake.id);
      WrongRun run;
      REQUIRE_NOTHROW(run = run_wrong(right, {&mistake}));
      if (!run.stops) continue;
      ++stopped;
      INFO(run.stops->in_english());
      CHECK(run.stops->in_english().find("≠") != std::string::npos);
    }
  }
  CHECK(stopped > 50);
}
