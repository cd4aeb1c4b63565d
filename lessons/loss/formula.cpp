#include "page/backward.hpp"

#include <cmath>

namespace tfx::page {

mat smoothed_target(const uvec& labels, uword vocabulary, double smoothing, uword pad) {
  const bool is_word = pad < vocabulary; // else no column is the padding's: −100, −1
  const double others = static_cast<double>(vocabulary) - (is_word ? 2 : 1);
  mat target(labels.n_elem, vocabulary, arma::fill::value(smoothing > 0 ? smoothing / others : 0));
  for (uword i = 0; i < labels.n_elem; ++i)
    if (labels(i) != pad) target(i, labels(i)) = 1 - smoothing;
  if (is_word) target.col(pad).zeros();
  target.rows(arma::find(labels == pad)).zeros();
  return target;
}

double divergence(const mat& log_probs, const mat& target, double tokens) {
  const uvec asked = arma::find(target); // 0·ln 0 is 0, and what is not asked may be −∞
  const vec t = target(asked);
  return arma::dot(t, arma::log(t) - log_probs(asked)) / tokens;
}

mat divergence_backward(const mat& target, double tokens) {
  return target / -tokens;
}

// A target's row sums to 1, so for a cross-entropy this is (softmax − target)/tokens.
mat log_softmax_backward(const mat& dL, const mat& L) {
  return dL - arma::exp(L).eval().each_col() % arma::sum(dL, 1);
}

// A row and a column change places: the shapes allow nothing else, the chain rule says why.
ProductGradients product_backward(const mat& X, const mat& W, const mat& dY) {
  return {dY * W.t(), X.t() * dY, arma::sum(dY, 0)};
}

mat mask_backward(const mat& dM, const mat& mask) {
  mat dS = dM;
  dS.elem(arma::find(mask == 0)).zeros(); // selected, not multiplied: 0·NaN is NaN
  return dS;
}

// The sum along the row is there because the weights share one whole: one grows, the others shrink.
mat softmax_backward(const mat& dA, const mat& A) {
  mat read = dA;
  read.elem(arma::find(A == 0)).zeros(); // what has no weight is not read
  return A % (read.each_col() - arma::sum(read % A, 1));
}

mat entropy_backward(const vec& dH, const mat& A) {
  mat slope = -(arma::log(A) + 1);
  slope.elem(arma::find(A == 0)).zeros();
  return slope.each_col() % dH;
}

AttentionGradients attention_backward(const mat& Q, const mat& K, const mat& V, const mat& mask,
                                      const Attention& a, const mat& doutput) {
  AttentionGradients d;
  d.dV = a.weights.t() * doutput;
  d.dweights = doutput * V.t();
  d.dmasked = softmax_backward(d.dweights, a.weights);
  d.dscaled = mask_backward(d.dmasked, mask);
  d.dscores = d.dscaled / std::sqrt(static_cast<double>(K.n_cols));
  d.dQ = d.dscores * K;
  d.dK = d.dscores.t() * Q;
  return d;
}

} // namespace tfx::page
