#pragma once
// The operations that look at a whole row for each of their cells, as arithmetic.

#include "trace/reader.hpp"

namespace tfx {

/// e^(x − max) / Σ e^(x − max), or the rule for a row that may see nothing.
void explain_softmax(Explanation& e, const Reader& read, const Index& index);

/// Op::row_max, row_sum, row_norm or entropy.
void explain_row(Explanation& e, const Reader& read, const Index& index, Op op);

void explain_first_max(Explanation& e, const Reader& read, const Index& index);

} // namespace tfx
