#pragma once
// What frames a lesson, on the screen and in an HTML document.

#include "input/options.hpp"
#include "lessons/catalogue.hpp"
#include "render/terminal.hpp"

namespace tfx {

/// The frame of the lesson of that command: its command, its number, what comes next.
Screen frame_of(const std::string& command);

/// With what belongs to a run on the page.
Screen screen_of(const Lesson& lesson, const InputOptions& options, const Trace& trace);

/// The status of the program: 0 where every check of the run passes, else 1.
int status_of(const Trace& trace);

/// Input from "-" is "standard input" in a trace, and so in every JSON; a screen says it in the learner's
/// language.
void translate_sources(Trace& trace);

/// The facts that the words "glimpse" of a lesson quote: what a shipped model answers to its example, and
/// which token of the source had most of the weight as it wrote each. The model writes Chinese, or with
/// `ascii` what every terminal shows. Nothing where no such model is shipped.
void add_glimpse(Trace& trace, bool ascii);

} // namespace tfx
