#pragma once
// What looks at a whole row: its maximum, its entropy, where it is largest; lengths, cosines and distances.

#include "ops/operation.hpp"

namespace tfx {

namespace op {

extern const Op row_max; ///< the largest cell of each row, 0 where every cell is −∞   (…, n, m) → (…, n, 1)
extern const Op first_max; ///< 1 at each row's first largest cell, else 0
extern const Op entropy; ///< −Σ w·ln w of each row                                    (…, n, m) → (…, n, 1)
extern const Op row_norm; ///< √Σ x² of each row                                        (…, n, d) → (…, n)
extern const Op cosine; ///< A[i,j] / (B[i]·B[j]) of dot products A and norms B, 0 where a norm is 0
extern const Op distance; ///< √Σ (x_i − x_j)² between the rows of A                    (…, n, d) → (…, n, n)

extern const Op entropy_gradient; ///< −A·(ln B + 1), 0 where B is 0

inline constexpr std::array rows_family = {&row_max, &first_max, &entropy,         &row_norm,
                                           &cosine,  &distance,  &entropy_gradient};

} // namespace op

/// A row that is −∞ throughout may see nothing: no arithmetic gives its cells, a rule does.
void decide_masked_row(Explanation& e, const CellReader& read, const Index& row,
                       const std::string& condition);

} // namespace tfx
