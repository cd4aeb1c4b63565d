#include "page/backward.hpp"

#include <numbers>

namespace tfx::page {

mat relu_backward(const mat& dA, const mat& hidden) {
  mat dH = dA;
  dH.elem(arma::find(hidden <= 0)).zeros(); // at 0 itself there is a corner: by convention its slope is 0
  return dH;
}

// No corner here: the slope grows from 0 at 0.
mat squared_relu_backward(const mat& dA, const mat& hidden) {
  return dA % (2 * arma::clamp(hidden, 0, arma::datum::inf));
}

// x·Φ(x) by the rule of products; the slope of Φ is the normal density φ.
mat gelu_backward(const mat& dA, const mat& hidden) {
  const mat below = (1 + arma::erf(hidden / std::numbers::sqrt2)) / 2,
            density = arma::exp(-arma::square(hidden) / 2) / std::sqrt(2 * std::numbers::pi);
  return dA % (below + hidden % density);
}

// x·(1 + t)/2 by the rule of products; the slope of t = tanh(u) is (1 − t²)·u′.
mat gelu_tanh_backward(const mat& dA, const mat& hidden) {
  const double c = std::sqrt(2 / std::numbers::pi);
  const mat t = arma::tanh(c * (hidden + 0.044715 * arma::pow(hidden, 3))),
            slope = c * (1 + 3 * 0.044715 * arma::square(hidden));
  return dA % ((1 + t) / 2 + hidden % (1 - arma::square(t)) % slope / 2);
}

// x·σ(x) by the rule of products; the slope of σ is σ·(1 − σ).
mat silu_backward(const mat& dA, const mat& hidden) {
  const mat sigmoid = 1 / (1 + arma::exp(-hidden));
  return dA % sigmoid % (1 + hidden % (1 - sigmoid));
}

vec divisor_backward(const mat& dN, const mat& N, const vec& divisor) {
  vec d = -arma::sum(dN % N, 1) / divisor;
  d.elem(arma::find(divisor == 0)).zeros();
  return d;
}

mat sqrt_backward(const mat& dY, const mat& Y) {
  return dY / (2 * Y);
}

mat variance_backward(const vec& dvariance, const mat& X) {
  const mat centred = X.each_col() - arma::mean(X, 1).eval();
  return 2 * (centred.each_col() % dvariance) / static_cast<double>(X.n_cols);
}

mat std_backward(const vec& dstd, const mat& X, const vec& std) {
  const mat centred = X.each_col() - arma::mean(X, 1).eval();
  mat dX = centred.each_col() % (dstd / std) / static_cast<double>(X.n_cols - 1);
  dX.rows(arma::find(std == 0)).zeros(); // a row of equal numbers has a corner there
  return dX;
}

LayerNormGradients layer_norm_backward(const mat& dY, const LayerNorm& n, const rowvec& gamma, Norm rule) {
  const mat dN = dY.each_row() % gamma;
  vec along = arma::sum(dN % n.normalized, 1) / static_cast<double>(dY.n_cols);
  if (rule == Norm::annotated) { // std over d − 1, ε outside the root
    along %= n.divisor / n.spread * (static_cast<double>(dY.n_cols) / static_cast<double>(dY.n_cols - 1));
    along.elem(arma::find(n.spread == 0)).zeros();
  }
  mat dX = dN - n.normalized.each_col() % along;
  dX.each_col() -= arma::mean(dN, 1).eval();
  dX.each_col() /= n.divisor;
  return {dX, arma::sum(dY % n.normalized, 0), arma::sum(dY, 0)};
}

} // namespace tfx::page
