#pragma once
// Labels of rows by hand, and what stands for a row where it has none.

#include "trace/trace.hpp"

namespace tfx {

/// q1 … qn.
std::vector<std::string> numbered(const std::string& letter, std::size_t n);

/// Label of row `i` of a step, or its number.
std::string row_label(const Trace& trace, const std::string& name, std::size_t i);

/// Whether no other row of the step has the label of row `i`.
bool named_once(const Trace& trace, const std::string& name, std::size_t i);

} // namespace tfx
