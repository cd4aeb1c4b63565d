#pragma once
// Rows and columns keep the names of what they came from: scores has Q's rows as rows and K's rows as
// columns.

#include "trace/trace.hpp"

namespace tfx {

/// Labels of a result of `how`, taken from the labels of its inputs; empty lists where none follow.
Labels propagate_labels(const Trace& trace, const How& how, const Shape& result);

/// "scores[q1, k3]", or "W_Q[0, 2]" where an axis has no labels.
std::string cell_name(const Step& step, const Index& index);

/// "[:, k3]" labels: q1 … qn.
std::vector<std::string> numbered(const std::string& letter, std::size_t n);

/// Whether no other row of the step has the label of row `i`.
bool named_once(const Trace& trace, const std::string& name, std::size_t i);

/// Label of row `i` of a step, or its number.
std::string row_label(const Trace& trace, const std::string& name, std::size_t i);

} // namespace tfx
