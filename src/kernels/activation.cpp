#include "kernels/activation.hpp"

#include <cmath>
#include <numbers>

namespace tfx {

namespace {

template <class Real>
Real relu(Real x) {
  return x < 0 ? 0 : x; // NaN stays
}

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
Real relu_slope(Real x) {
  return x > 0 ? 1 : 0;
}

template <class Real>
Real gelu_slope(Real x) {
  constexpr auto inv_sqrt2pi = static_cast<Real>(std::numbers::inv_sqrtpi / std::numbers::sqrt2);
  return std::erfc(-x * static_cast<Real>(1 / std::numbers::sqrt2)) / 2 +
         x * inv_sqrt2pi * std::exp(-x * x / 2);
}

template <class Real>
Real gelu_tanh_slope(Real x) {
  const Real t = std::tanh(slope<Real> * (x + cubic<Real> * x * x * x));
  return (1 + t + x * (1 - t * t) * slope<Real> * (1 + 3 * cubic<Real> * x * x)) / 2;
}

template <class Real, class Function>
void each(MatrixView<Real> x, Function function) {
  for (std::size_t j = 0; j < x.cols; ++j)
    for (Real* cell = x.column(j); cell != x.column(j) + x.rows; ++cell) *cell = function(*cell);
}

template <class Real, class Function>
void multiply_each(MatrixView<Real> y, MatrixView<const Real> x, Function function) {
  assert(y.rows == x.rows && y.cols == x.cols);
  for (std::size_t j = 0; j < y.cols; ++j)
    for (std::size_t i = 0; i < y.rows; ++i) y(i, j) *= function(x(i, j));
}

} // namespace

template <class Real>
void activate(MatrixView<Real> x, Activation activation) {
  switch (activation) {
  case Activation::relu: return each(x, relu<Real>);
  case Activation::gelu: return each(x, gelu<Real>);
  case Activation::gelu_tanh: return each(x, gelu_tanh<Real>);
  }
}

template <class Real>
void activate_backward(MatrixView<Real> dy, ConstMatrixView<Real> x, Activation activation) {
  switch (activation) {
  case Activation::relu: return multiply_each(dy, x, relu_slope<Real>);
  case Activation::gelu: return multiply_each(dy, x, gelu_slope<Real>);
  case Activation::gelu_tanh: return multiply_each(dy, x, gelu_tanh_slope<Real>);
  }
}

template void activate_backward(MatrixView<float>, ConstMatrixView<float>, Activation);
template void activate_backward(MatrixView<double>, ConstMatrixView<double>, Activation);
template void activate(MatrixView<float>, Activation);
template void activate(MatrixView<double>, Activation);

} // namespace tfx
