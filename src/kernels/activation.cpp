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
Real gelu_tanh(Real x) {
  constexpr auto slope = static_cast<Real>(std::numbers::sqrt2 * std::numbers::inv_sqrtpi);
  return x / 2 * (1 + std::tanh(slope * (x + static_cast<Real>(0.044715) * x * x * x)));
}

template <class Real, class Function>
void each(MatrixView<Real> x, Function function) {
  for (std::size_t j = 0; j < x.cols; ++j)
    for (Real* cell = x.column(j); cell != x.column(j) + x.rows; ++cell) *cell = function(*cell);
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

template void activate(MatrixView<float>, Activation);
template void activate(MatrixView<double>, Activation);

} // namespace tfx
