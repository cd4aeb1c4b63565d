#pragma once
// The commands that lead through the course, and what they share with those of the lessons.

#include "cli/context.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

void add_quiz_command(CLI::App& app, Context& context);
/// next, hint and reset.
void add_learn_commands(CLI::App& app, Context& context);

/// The lesson on its own data, as its command shows it.
void show_lesson(const Lesson& lesson, Context& context);

} // namespace tfx
