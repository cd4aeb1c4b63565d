#pragma once
// Rows and columns keep the names of what they came from: scores has Q's rows as rows and K's rows as
// columns.

#include "trace/trace.hpp"

namespace tfx {

/// Labels of a result of `how`, taken from the labels of its inputs; empty lists where none follow.
Labels propagate_labels(const Trace& trace, const How& how, const Shape& result);

/// "scores[q1, k3]", or "W_Q[0, 2]" where an axis has no labels.
std::string cell_name(const Step& step, const Index& index);

} // namespace tfx
