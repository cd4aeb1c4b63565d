#pragma once
// A second opinion on every number of a lesson: one cell, computed again from what the step says about itself
// (its operation, the names of its inputs, its constant), with plain loops over single numbers. Nothing here
// is shared with the formulas of the page, with broadcasting, or with `explain`.

#include "trace/trace.hpp"

namespace tfx {

/// The cell of `step` at `index`, from the values of the step's inputs in `trace`. A given tensor is its own
/// answer. `index` must lie inside the tensor.
double evaluate(const Trace& trace, const Step& step, const Index& index);

} // namespace tfx
