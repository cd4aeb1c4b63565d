#include "lessons/run.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "lessons/gradients.hpp"
#include "lessons/reference.hpp"
#include "text/suggest.hpp"

namespace tfx {

LessonRun run_lesson(const Lesson& lesson, const InputOptions& options) {
  reserve_blas_memory();
  const LessonInput input = resolve_input(options, lesson);
  Trace trace = lesson.run(input);
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
