#include "parity/verification.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "input/tutorials.hpp"
#include "lessons/reference.hpp"
#include "lessons/run.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <iterator>
#include <optional>

namespace tfx {

namespace {

std::optional<InputOptions> run_that_fits(const Run& run, const Lesson& lesson) {
  InputOptions options;
  options.tutorial = run.id + ":" + std::to_string(run.variant);
  try {
    find_run(*options.tutorial, lesson);
  } catch (const Error&) {
    return std::nullopt; // another stage's data
  }
  return options;
}

// The lesson's tensors, as far as NumPy's run of the same input has them.
void compare(const Lesson& lesson, const InputOptions& options, Verified& line) {
  const auto reference = LessonReference::of(resolve_input(options, lesson).reference);
  if (!reference) return;
  const Trace trace = run_lesson(lesson, options, RunFor::values).trace;
  std::size_t before = line.compared;
  for (const Step& step : trace.steps) {
    const auto one = reference->compare(lesson, step);
    if (!one) continue;
    line.worst = std::max(line.worst, one->worst);
    line.compared += one->cells;
  }
  line.sources += line.compared > before;
}

} // namespace

std::vector<Verified> verify_lessons() {
  std::vector<Verified> lines;
  for (const Lesson& lesson : page_lessons()) {
    tell_progress(lesson.command, {lines.size() + 1, page_lessons().size()});
    Verified line{"lesson", lesson.command};
    line.bound = rounding;
    for (const Run& run : runs())
      if (const auto options = run_that_fits(run, lesson)) compare(lesson, *options, line);
    if (lesson.tutorial.empty() || lesson.stage == Stage::sizes)
      compare(lesson, {}, line); // no tutorial's run
    lines.push_back(line);
  }
  return lines;
}

std::vector<Verified> verify_everything() {
  std::vector<Verified> lines = verify_lessons();
  tell_progress("np.random");
  lines.push_back(verify_random());
  std::ranges::move(verify_engine(), std::back_inserter(lines));
  std::ranges::move(verify_trained(), std::back_inserter(lines));
  return lines;
}

} // namespace tfx
