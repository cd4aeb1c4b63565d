#pragma once
// What decoding with kept keys and values is measured by: the masked pass that it equals, what its steps cost
// with and without them, and how large they are in models.

#include "input/lesson_input.hpp"

namespace tfx {

/// Checks: the recorded steps are the page's formula, and rows of one masked pass over all tokens.
void check_steps(Trace& trace, const LessonInput& input);

/// A row a step: what is kept, and multiply-adds with it and without.
void count_steps(Trace& trace);

/// A row a model: layers, width, tokens, and the bytes of all their keys and values.
void compare_sizes(Trace& trace);

} // namespace tfx
