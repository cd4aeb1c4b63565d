#pragma once
// microgpt's first steps on the page: loss, gradients and Adam, each in double by the lesson's own operations
// and the page's formulas.

#include "input/lesson_input.hpp"

namespace tfx {

/// Of the run of the tutorial microgpt: experiment "documents", its first documents after the shuffle;
/// experiment "first_steps", a step on each of them with its loss beside the printed one; experiment "adam",
/// what these steps do to one cell. Check "published_losses".
void add_first_steps(Trace& trace, const LessonInput& input);

} // namespace tfx
