#pragma once
// Which lesson teaches a step: the first of the course that has it as its subject. What a lesson repeats of
// earlier ones is neither asked about nor shown once more in its steps.

#include "lessons/catalogue.hpp"

namespace tfx {

/// The lesson before the run's own that teaches the step, or nullptr where none does.
const Lesson* taught_before(const Trace& trace, const Step& step);

/// Whether the run's lesson is about the step, and is the first that is: results, gradients, and parameters
/// that come up here.
bool is_new(const Trace& trace, const Step& step);

} // namespace tfx
