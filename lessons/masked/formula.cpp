#include "page/formulas.hpp"

namespace tfx::page {

mat causal_mask(arma::uword n_q, arma::uword n_k) {
  mat mask(n_q, n_k, arma::fill::zeros);
  for (arma::uword i = 0; i < n_q; ++i) mask.row(i).head(std::min(i + 1, n_k)).ones();
  return mask;
}

// The queries are the last of the keys' tokens, as those of a cache are: the last one sees all.
mat causal_mask_lower_right(arma::uword n_q, arma::uword n_k) {
  mat mask(n_q, n_k, arma::fill::zeros);
  for (arma::uword i = 0; i < n_q; ++i)
    if (i + n_k >= n_q) mask.row(i).head(i + n_k - n_q + 1).ones();
  return mask;
}

mat padding_mask(arma::uword n_q, arma::uword n_k, arma::uword pad) {
  mat mask(n_q, n_k, arma::fill::ones);
  mask.tail_cols(pad).zeros();
  return mask;
}

mat mask_fill(const mat& S, const mat& mask) {
  mat M = S;
  M.elem(arma::find(mask == 0)).fill(-arma::datum::inf);
  return M;
}

Attention attention(const mat& Q, const mat& K, const mat& V, const mat& mask, double masked_row) {
  Attention a;
  a.scores = scores(Q, K);
  a.scaled = scale(a.scores, static_cast<double>(K.n_cols));
  a.masked = mask_fill(a.scaled, mask); // before the softmax: e^−∞ = 0, and the rest still sums to 1
  a.weights = softmax(a.masked, masked_row).weights;
  a.output = weighted_sum(a.weights, V);
  return a;
}

} // namespace tfx::page
