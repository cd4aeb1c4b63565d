#pragma once
// Choosing a token from a distribution: which tokens may be chosen, and which one is.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op top_k; ///< 1 at the `constant` largest cells of each row, else 0; of equal ones the first
extern const Op mass_before; ///< Σ of the row's larger cells: what stands before a cell where they are sorted
extern const Op below;       ///< 1 where A < constant
extern const Op draw;        ///< 1 at the cell of A whose stretch holds C: it begins at B and is as long as A

inline constexpr std::array choices_family = {&top_k, &mass_before, &below, &draw};

} // namespace tfx::op
