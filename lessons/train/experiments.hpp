#pragma once
// What a training step is measured by, and the three optimizers side by side.

#include "input/lesson_input.hpp"

namespace tfx {

/// The parameters that have a gradient.
std::vector<std::string> learned_tensors(const Trace& trace);

/// Checks: the loss of the same batch is lower than before, the recorded steps are the page's formula, and
/// how far Adam's first step goes. Facts of the step.
void check_step(Trace& trace, const LessonInput& input);

/// A row each of SGD, Adam and AdamW on this batch: the loss after their step, its length, its largest cell.
void compare_optimizers(Trace& trace, const LessonInput& input);

/// The learning rate over the steps of the paper's training, and what it would be without a warm-up.
void show_schedule(Trace& trace);

} // namespace tfx
