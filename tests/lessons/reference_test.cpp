// Every tensor of every tutorial's page stands in the references, and an error in any cell of one is found.

#include "input/tutorials.hpp"
#include "lessons/run.hpp"
#include "random/numpy_rng.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace tfx;
using By = LessonReference::Comparison::By;

namespace {

Trace trace_of(const std::string& lesson, const std::string& run) {
  InputOptions options;
  options.tutorial = run;
  return run_lesson(find_lesson(lesson), options, RunFor::values).trace;
}

} // namespace

TEST_CASE("the references hold every tensor of every tutorial's page", "[reference]") {
  std::size_t pages = 0;
  for (const Lesson& lesson : page_lessons())
    for (const Run& run : runs()) {
      const std::string name = run.name();
      try {
        find_run(name, lesson);
      } catch (const Error&) {
        continue; // another stage's data
      }
      INFO(lesson.command << ' ' << name);
      const Trace trace = trace_of(lesson.command, name);
      const auto reference = LessonReference::of(name);
      REQUIRE(reference);
      for (const Step& step : trace.steps) {
        INFO(step.name);
        const auto one = reference->compare(lesson, step);
        REQUIRE(one);
        CHECK(one->equal == one->cells);
        CHECK((one->by == By::sample ? one->cells >= 1'000 : one->cells == step.value.size()));
      }
      ++pages;
    }
  CHECK(pages > 60);
}

TEST_CASE("an error in one cell of a large tensor is found, wherever it stands", "[reference]") {
  const Lesson& loss = find_lesson("loss");
  const Trace trace = trace_of("loss", "attention-block:3");
  const auto reference = LessonReference::of("attention-block:3");
  REQUIRE(reference);
  NumpyRandom random(7);
  const auto found = [&](Step step, std::size_t cell, double error) {
    step.value.data[cell] += error;
    const auto one = reference->compare(loss, step);
    REQUIRE(one);
    return one->equal < one->cells && one->worst > 0;
  };
  for (const char* name : {"logits", "target", "log_probs", "probs"}) {
    const Step& step = trace.step_named(name);
    const auto one = reference->compare(loss, step);
    REQUIRE(one);
    CHECK(one->by == (step.name == "logits" || step.name == "target" ? By::hash : By::sample));
    for (int i = 0; i < 20; ++i) {
      const auto cell =
          static_cast<std::size_t>(random.randint(static_cast<std::int64_t>(step.value.size())));
      INFO(name << ' ' << cell);
      CHECK(found(step, cell, one->by == By::hash ? 1e-9 : 1e-6));
    }
  }
  Step reshaped = trace.step_named("log_probs");
  reshaped.value.shape = {20, 10'000};
  CHECK(reference->compare(loss, reshaped)->equal == 0);
}
