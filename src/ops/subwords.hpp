#pragma once
// Byte-pair encoding: pairs of neighbours counted, the most frequent one, and it merged. Cells are numbers of
// symbols, −1 where a row has ended.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op pair_counts;   ///< how often each pair stands in the rows of A, row i counted B[i] times; of
                               ///< `constant` symbols                (n, m), (n, 1) → (constant, constant)
extern const Op most_frequent; ///< row and column of the first largest cell of A   (s, s) → (1, 2)
extern const Op merge_pair; ///< A with the symbol `constant` wherever the pair B stands, from left to right
extern const Op stacked;    ///< the rows of every input, one below the other

inline constexpr std::array subwords_family = {&pair_counts, &most_frequent, &merge_pair, &stacked};

} // namespace tfx::op
