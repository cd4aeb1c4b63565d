#pragma once
// What each operation reads to make one cell, and the arithmetic it does: the part of `explain` that knows
// operations.

#include "trace/explain.hpp"

namespace tfx {

/// One level: the cell's own terms, no sources. The index must lie inside the tensor.
Explanation explain_cell(const Trace& trace, const Step& step, const Index& index, int precision);

} // namespace tfx
