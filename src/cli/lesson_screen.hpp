#pragma once
// What frames a lesson's run, on the screen and in an HTML document.

#include "input/options.hpp"
#include "lessons/catalogue.hpp"
#include "render/terminal.hpp"

namespace tfx {

Screen screen_of(const Lesson& lesson, const InputOptions& options, const Trace& trace);

} // namespace tfx
