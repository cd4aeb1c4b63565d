#include "lessons/run.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "lessons/gradients.hpp"
#include "lessons/reference.hpp"
#include "text/suggest.hpp"
#include "trace/labels.hpp"

#include <cmath>
#include <limits>

namespace tfx {

namespace {

/// NaN and +∞ never pass: the first cell that holds one is named. With a mask NaN may stand where nobody
/// looks, and the scores that somebody sees are judged when they are masked.
void refuse_not_finite(const Trace& trace) {
  if (trace.has("masked")) return;
  for (const Step& step : trace.steps)
    for (std::size_t i = 0; i < step.value.size(); ++i) {
      const double cell = step.value.data[i];
      if (cell == std::numeric_limits<double>::infinity() || std::isnan(cell)) {
        const Index index = index_of(step.value.shape, i);
        throw Error(ErrorKind::bad_data,
                    cell_name(step, index) + " (indices " + to_string(index) + ") is " +
                        (std::isnan(cell) ? "NaN" : "+inf") + ": no number follows from it",
                    "look for NaN, inf or very large numbers in the input");
      }
    }
}

} // namespace

LessonRun run_lesson(const Lesson& lesson, const InputOptions& options) {
  reserve_blas_memory();
  const LessonInput input = resolve_input(options, lesson);
  Trace trace = lesson.run(input);
  refuse_not_finite(trace);
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
