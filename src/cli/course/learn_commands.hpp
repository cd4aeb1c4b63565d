#pragma once
// The commands that lead through the course, and what they share with those of the lessons.

#include "cli/context.hpp"
#include "lessons/catalogue.hpp"

namespace tfx {

/// The lesson on its own data, as its command shows it.
void show_lesson(const Lesson& lesson, Context& context);

} // namespace tfx
