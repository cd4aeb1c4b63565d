#pragma once
// Rows of a table by their numbers: looking words up, and the gradients of their table.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op gather; ///< rows of the table A at the numbers B
extern const Op
    scatter; ///< row r is the sum of the rows of A whose number in B is r: the way back to the table
extern const Op
    one_hot; ///< 1 where the column is the number B, of as many as A has rows: A is a table of words

inline constexpr std::array gather_family = {&gather, &scatter, &one_hot};

} // namespace tfx::op
