#include "kernels/softmax.hpp"

#include "kernels/simd/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

/// What may not be seen becomes 0.
template <class Real>
void hide(Real* column, std::size_t n, const std::uint8_t* keys) {
  for (std::size_t i = 0; i < n; ++i)
    if (keys && !keys[i]) column[i] = 0;
}

/// A column whose largest cell is −∞, +∞ or NaN: zeros, if all are −∞, or else NaN.
template <class Real>
void softmax_of_extremes(Real* column, std::size_t n, const std::uint8_t* keys) {
  constexpr Real lowest = -std::numeric_limits<Real>::infinity();
  const bool nothing = std::all_of(column, column + n, [](Real cell) { return cell == lowest; });
  std::fill_n(column, n, nothing ? 0 : std::numeric_limits<Real>::quiet_NaN());
  hide(column, n, keys);
}

} // namespace

} // namespace tfx

#define TFX_KERNEL "kernels/softmax.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

template <class Real>
void softmax(MatrixView<Real> x, const AttentionMask& visible) {
  TFX_CALL(softmax_columns, x, visible);
}

template <class Real>
void softmax_backward(MatrixView<Real> dy, ConstMatrixView<Real> weights) {
  assert(dy.rows == weights.rows && dy.cols == weights.cols);
  TFX_CALL(softmax_columns_backward, dy, weights);
}

template <class Real>
void log_softmax(MatrixView<Real> y, ConstMatrixView<Real> x) {
  assert(y.rows == x.rows && y.cols == x.cols);
  TFX_CALL(log_softmax_columns, y, x);
}

template void softmax(MatrixView<float>, const AttentionMask&);
template void softmax(MatrixView<double>, const AttentionMask&);
template void softmax_backward(MatrixView<float>, ConstMatrixView<float>);
template void softmax_backward(MatrixView<double>, ConstMatrixView<double>);
template void log_softmax(MatrixView<float>, ConstMatrixView<float>);
template void log_softmax(MatrixView<double>, ConstMatrixView<double>);

} // namespace tfx
