#include "lessons/layer_formulas.hpp"

namespace tfx::page {

// Along each row, so every token by itself: batch and neighbours do not matter.
LayerNorm layer_norm(const mat& X, const rowvec& gain, const rowvec& shift, NormRule rule) {
  LayerNorm n;
  n.mean = arma::mean(X, 1);
  n.centred = X.each_col() - n.mean;
  const vec squares = arma::sum(arma::square(n.centred), 1);
  const double d = static_cast<double>(X.n_cols);
  if (rule == NormRule::annotated) {
    n.spread = arma::sqrt(squares / (d - 1));
    n.divisor = n.spread + 1e-6; // outside the root
  } else {
    n.spread = squares / d;
    n.divisor = arma::sqrt(n.spread + 1e-5); // inside the root
  }
  n.normalized = n.centred.each_col() / n.divisor;
  n.output = n.normalized.each_row() % gain;
  n.output.each_row() += shift;
  return n;
}

// The same two products for every token: nothing moves between tokens here.
FeedForward feed_forward(const mat& X, const mat& W_1, const rowvec& b_1, const mat& W_2, const rowvec& b_2) {
  FeedForward f;
  f.hidden = project(X, W_1, b_1);
  f.activated = arma::clamp(f.hidden, 0, arma::datum::inf);
  f.output = project(f.activated, W_2, b_2);
  return f;
}

mat residual(const mat& X, const mat& Y) {
  return X + Y;
}

// Divided by what is kept on average, so that the expected value stays. In prediction nothing is dropped.
mat dropout(const mat& weights, const mat& keep, double rate) {
  return weights % keep / (1 - rate);
}

} // namespace tfx::page
