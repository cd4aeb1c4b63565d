#include "lessons/run.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "lessons/reference.hpp"
#include "steps/attention_steps.hpp"
#include "text/suggest.hpp"
#include "trace/gradients.hpp"

#include <algorithm>
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
    const bool follows = step.name == "weights" || std::ranges::any_of(step.operation.inputs, [&](const auto& i) {
                           return of_weights.contains(i);
                         });
    if (follows) of_weights.insert(step.name);
    if (follows || !trace.has("masked")) refuse_not_finite(step, "no number follows from it");
  }
}

} // namespace

LessonRun run_lesson(const Lesson& lesson, const InputOptions& options) {
  reserve_blas_memory();
  const LessonInput input = resolve_input(options, lesson);
  Trace trace = lesson.run(input);
  refuse_not_finite(trace, input.masked_row);
  if (options.grad && trace.gradients.empty()) add_gradients(trace);
  // Draws after the last one that this lesson shows need not be repeated.
  const auto shown = [&](const std::string& line) { return trace.has(line.substr(0, line.find(' '))); };
  while (!trace.numpy.empty() && !shown(trace.numpy.back())) trace.numpy.pop_back();
  if (!input.reference.empty()) check_against_reference(trace, input.reference);
  return {std::move(trace), input.notes};
}

const Lesson& find_lesson(const std::string& command) {
  std::vector<std::string> commands;
  for (const Lesson& lesson : lessons()) {
    if (lesson.command == command) return lesson;
    commands.push_back(lesson.command);
  }
  const auto near = nearest(command, commands);
  throw Error(ErrorKind::usage,
              "there is no lesson \"" + command + "\"" + (near ? "; did you mean " + *near + "?" : ""),
              "tfx list shows them all");
}

} // namespace tfx
