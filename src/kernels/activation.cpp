#include "kernels/activation.hpp"

#include "kernels/simd/run.hpp"

#include <cmath>
#include <numbers>

namespace tfx {

namespace {

template <class Real>
Real gelu(Real x) {
  // erfc, not 1 + erf: far below zero that sum would lose every digit.
  return x / 2 * std::erfc(-x * static_cast<Real>(1 / std::numbers::sqrt2));
}

template <class Real>
constexpr auto slope = static_cast<Real>(std::numbers::sqrt2* std::numbers::inv_sqrtpi); // √(2/π)
template <class Real>
constexpr auto cubic = static_cast<Real>(0.044715);

template <class Real>
Real gelu_tanh(Real x) {
  return x / 2 * (1 + std::tanh(slope<Real> * (x + cubic<Real> * x * x * x)));
}

template <class Real>
constexpr auto inv_sqrt2pi = static_cast<Real>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);

template <class Real>
Real gelu_slope(Real x) {
  return std::erfc(-x * static_cast<Real>(1 / std::numbers::sqrt2)) / 2 +
         x * inv_sqrt2pi<Real> * std::exp(-x * x / 2);
}

template <class Real>
Real gelu_tanh_slope(Real x) {
  const Real t = std::tanh(slope<Real> * (x + cubic<Real> * x * x * x));
  return (1 + t + x * (1 - t * t) * slope<Real> * (1 + 3 * cubic<Real> * x * x)) / 2;
}

template <class Real>
Real silu(Real x) {
  return x / (1 + std::exp(-x));
}

template <class Real>
Real silu_slope(Real x) {
  const Real power = std::exp(-std::abs(x)), share = 1 / (1 + power); // no sum near 1 below zero
  return (x < 0 ? power * share : share) + x * power * share * share;
}

} // namespace

} // namespace tfx

#define TFX_KERNEL "kernels/activation.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

template <class Real>
void activate(MatrixView<Real> y, ConstMatrixView<Real> x, Activation activation) {
  assert(y.rows == x.rows && y.cols == x.cols);
  TFX_CALL(activate_cells, y, x, activation);
}

template <class Real>
void activate_backward(MatrixView<Real> dy, ConstMatrixView<Real> x, Activation activation) {
  assert(dy.rows == x.rows && dy.cols == x.cols);
  TFX_CALL(activate_cells_backward, dy, x, activation);
}

template <class Real>
void gate(MatrixView<Real> hidden, ConstMatrixView<Real> a, ConstMatrixView<Real> b, Activation activation) {
  assert(hidden.rows == a.rows && hidden.cols == a.cols && a.rows == b.rows && a.cols == b.cols);
  TFX_CALL(gate_cells, hidden, a, b, activation);
}

template <class Real>
void gate_backward(MatrixView<Real> da, MatrixView<Real> db, ConstMatrixView<Real> d_hidden,
                   ConstMatrixView<Real> a, ConstMatrixView<Real> b, Activation activation) {
  assert(da.rows == a.rows && da.cols == a.cols && db.rows == a.rows && db.cols == a.cols);
  assert(d_hidden.rows == a.rows && d_hidden.cols == a.cols && b.rows == a.rows && b.cols == a.cols);
  assert(da.data != db.data || da.rows * da.cols == 0);
  TFX_CALL(gate_cells_backward, da, db, d_hidden, a, b, activation);
}

template void activate_backward(MatrixView<float>, ConstMatrixView<float>, Activation);
template void activate_backward(MatrixView<double>, ConstMatrixView<double>, Activation);
template void activate(MatrixView<float>, ConstMatrixView<float>, Activation);
template void activate(MatrixView<double>, ConstMatrixView<double>, Activation);
template void gate(MatrixView<float>, ConstMatrixView<float>, ConstMatrixView<float>, Activation);
template void gate(MatrixView<double>, ConstMatrixView<double>, ConstMatrixView<double>, Activation);
template void gate_backward(MatrixView<float>, MatrixView<float>, ConstMatrixView<float>,
                            ConstMatrixView<float>, ConstMatrixView<float>, Activation);
template void gate_backward(MatrixView<double>, MatrixView<double>, ConstMatrixView<double>,
                            ConstMatrixView<double>, ConstMatrixView<double>, Activation);

} // namespace tfx
