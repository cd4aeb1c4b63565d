#include "lessons/run.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "lessons/reference.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/gradients.hpp"
#include "trace/timing.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tfx {

namespace {

/// NaN and +∞ never pass. With a mask NaN may stand where nobody looks: the scores that somebody sees are
/// judged when they are masked, and here what is made of their weights. Who asks for NaN in rows that see
/// nothing gets it.
void refuse_not_finite(const Trace& trace, FullyMaskedRow policy) {
  if (policy == FullyMaskedRow::nan && trace.facts.contains("blocked_rows")) return;
  std::set<std::string> of_weights;
  for (const Step& step : trace.steps) {
    const bool follows =
        step.name == "weights" ||
        std::ranges::any_of(step.operation.inputs, [&](const auto& i) { return of_weights.contains(i); });
    if (follows) of_weights.insert(step.name);
    if (follows || !trace.has("masked")) refuse_not_finite(step, said("no number follows from it"));
  }
}

// Every tensor of the page beside NumPy's of the same run: the words say how many cells of how many tensors
// were compared, and in which way. No check where no reference is shipped.
void check_against_reference(Trace& trace, const Lesson& lesson, const std::string& run) {
  const auto reference = LessonReference::of(run);
  if (!reference) return;
  std::size_t equal = 0, total = 0, compared = 0, in_brief = 0;
  for (const Step& step : trace.steps) {
    const auto one = reference->compare(lesson, step);
    if (!one) continue;
    equal += one->equal, total += one->cells;
    ++compared;
    in_brief += one->by != LessonReference::Comparison::By::cells;
  }
  if (total == 0) return;
  const auto state = [&](const char* fact, std::size_t count) {
    trace.facts[fact] = static_cast<double>(count);
  };
  state("matched", equal), state("total", total);
  if (in_brief > 0) state("in_brief", in_brief);
  if (compared < trace.steps.size()) state("compared", compared), state("tensors", trace.steps.size());
  trace.check("equals_reference", equal == total, static_cast<double>(equal));
}

} // namespace

LessonRun run_lesson(const Lesson& lesson, const InputOptions& options, RunFor purpose) {
  reserve_blas_memory();
  keep_freed_memory();
  LessonInput input = resolve_input(options, lesson);
  input.purpose = purpose;
  Trace trace = lesson.run(input);
  refuse_not_finite(trace, input.masked_row);
  const bool has_gradients = std::ranges::count(trace.steps, Role::gradient, &Step::role) > 0;
  if (options.grad && !has_gradients) add_gradients(trace);
  if (trace.purpose == RunFor::times) time_steps(trace);
  // Draws after the last one that this lesson shows need not be repeated.
  const auto shown = [&](const std::string& line) { return trace.has(line.substr(0, line.find(' '))); };
  while (!trace.numpy.empty() && !shown(trace.numpy.back())) trace.numpy.pop_back();
  if (!input.reference.empty()) check_against_reference(trace, lesson, input.reference);
  return {std::move(trace), input.notes};
}

const Lesson& find_lesson(std::string_view command) {
  if (const Lesson* lesson = lesson_named(command)) return *lesson;
  throw defect("there is no lesson " + std::string(command));
}

} // namespace tfx
