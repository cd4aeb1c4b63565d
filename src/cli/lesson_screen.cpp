#include "cli/lesson_screen.hpp"

#include "cli/options.hpp"
#include "course/catalog.hpp"
#include "input/tutorials.hpp"
#include "judge/mistake.hpp"

#include <algorithm>

namespace tfx {

namespace {

bool tutorial_seeded(const std::string& name) {
  for (const Run& run : runs())
    if (run.id + ":" + std::to_string(run.variant) == name) return run.seeded;
  return true;
}

} // namespace

Screen screen_of(const Lesson& lesson, const InputOptions& options, const Trace& trace) {
  Screen screen;
  screen.command = lesson.command;
  screen.next = command_after(lesson.command);
  screen.options = repeat_options(options);
  screen.number = static_cast<std::size_t>(lesson.number);
  screen.tutorial_seeded = tutorial_seeded(trace.tutorial);
  screen.can_break = std::ranges::count(mistakes(), lesson.folder, &Mistake::folder) > 0;
  return screen;
}

} // namespace tfx
