#pragma once
// What can be broken and checked: the lessons of the page, and the small runs behind `tfx decode` and
// `tfx cache`, which only read like lessons here.

#include "cli/context.hpp"
#include "lessons/run.hpp"

namespace tfx {

/// Throws Error(usage) where `name` is neither, as `tfx COMMAND` says it.
const Lesson& practised_lesson(const std::string& command, const std::string& name, const Context& context);

LessonInput practised_input(const Lesson& lesson, const InputOptions& options);

/// Throws Error(usage) for an option that a practice does not read.
LessonRun practised_run(const Lesson& lesson, const InputOptions& options, const Context& context);

} // namespace tfx
