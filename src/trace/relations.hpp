#pragma once
// A relation among the words that every linear stage keeps: one row is the sum of two others.

#include "trace/trace.hpp"

#include <string>

namespace tfx {

/// Where a row of the matrix `in` is exactly the sum of two other rows, state it (fact "sum": "x3 = x1 + x2")
/// and check that the same rows of `out` add up too. Nothing happens where there is no such row, or the
/// matrix is large.
void check_row_sum(Trace& trace, const std::string& in, const std::string& out, const std::string& id);

} // namespace tfx
