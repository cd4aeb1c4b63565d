#include "page/formulas.hpp"

namespace tfx::page {

mat weighted_sum(const mat& weights, const mat& V) {
  if (V.is_finite()) return weights * V;
  // 0·∞ is NaN: a key without weight adds nothing, whatever its value.
  mat output(weights.n_rows, V.n_cols, arma::fill::zeros);
  for (arma::uword i = 0; i < weights.n_rows; ++i)
    for (arma::uword j = 0; j < weights.n_cols; ++j)
      if (weights(i, j) != 0) output.row(i) += weights(i, j) * V.row(j);
  return output;
}

} // namespace tfx::page
