#include "cli/practised_lesson.hpp"

#include "cli/commands.hpp"
#include "core/blas.hpp"
#include "lessons/practice.hpp"

namespace tfx {

namespace {

void refuse_unread(const Lesson& practice, const InputOptions& options, const Context& context) {
  const std::vector<GivenOption> unread = unread_options(options, practice);
  if (unread.empty()) return;
  std::string readers;
  for (const std::string& lesson : unread.front().readers) readers += (readers.empty() ? "" : ", ") + lesson;
  throw context.usage_error(
      "unread", {{"name", unread.front().name}, {"lesson", practice.command}, {"lessons", readers}});
}

} // namespace

const Lesson& practised_lesson(const std::string& command, const std::string& name, const Context& context) {
  if (const Lesson* practice = find_practice(name)) return *practice;
  require_lesson(command, name, context);
  return find_lesson(name);
}

LessonInput practised_input(const Lesson& lesson, const InputOptions& options) {
  return find_practice(lesson.command) ? practice_input(options, lesson) : resolve_input(options, lesson);
}

LessonRun practised_run(const Lesson& lesson, const InputOptions& options, const Context& context) {
  if (!find_practice(lesson.command)) return run_lesson(lesson, options);
  refuse_unread(lesson, options, context);
  reserve_blas_memory();
  const LessonInput input = practice_input(options, lesson);
  return {lesson.run(input), input.notes};
}

} // namespace tfx
