#include "kernels/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

template <class Real>
constexpr Real lowest = -std::numeric_limits<Real>::infinity();

} // namespace

template <class Real>
void softmax(MatrixView<Real> x, const Visible& visible) {
  for (std::size_t j = 0; j < x.cols; ++j) {
    Real* const column = x.column(j);
    Real max = lowest<Real>;
    bool is_nan = false;
    for (std::size_t i = 0; i < x.rows; ++i) {
      if (!visible(i, j)) continue;
      max = std::max(max, column[i]);
      is_nan = is_nan || std::isnan(column[i]);
    }
    if (max == lowest<Real> && !is_nan) {
      std::fill_n(column, x.rows, Real{0});
      continue;
    }
    double sum = 0;
    for (std::size_t i = 0; i < x.rows; ++i) {
      column[i] = visible(i, j) ? std::exp(column[i] - max) : 0;
      sum += column[i];
    }
    const double inverse = 1 / sum;
    for (std::size_t i = 0; i < x.rows; ++i)
      if (visible(i, j)) column[i] = static_cast<Real>(column[i] * inverse);
  }
}

template <class Real>
void softmax_backward(MatrixView<Real> dy, ConstMatrixView<Real> weights) {
  assert(dy.rows == weights.rows && dy.cols == weights.cols);
  for (std::size_t j = 0; j < dy.cols; ++j) {
    const Real* const w = weights.column(j);
    Real* const d = dy.column(j);
    double mean = 0;
    for (std::size_t i = 0; i < dy.rows; ++i)
      if (w[i] != 0) mean += static_cast<double>(w[i]) * d[i];
    for (std::size_t i = 0; i < dy.rows; ++i) d[i] = w[i] != 0 ? static_cast<Real>(w[i] * (d[i] - mean)) : 0;
  }
}

template <class Real>
void log_softmax(MatrixView<Real> y, ConstMatrixView<Real> x) {
  assert(y.rows == x.rows && y.cols == x.cols);
  for (std::size_t j = 0; j < x.cols; ++j) {
    const Real* const in = x.column(j);
    const Real max = x.rows ? *std::max_element(in, in + x.rows) : 0;
    double sum = 0;
    for (std::size_t i = 0; i < x.rows; ++i) sum += std::exp(in[i] - max);
    const double shift = max + std::log(sum);
    Real* const out = y.column(j);
    for (std::size_t i = 0; i < x.rows; ++i) out[i] = static_cast<Real>(in[i] - shift);
  }
}

template void softmax(MatrixView<float>, const Visible&);
template void softmax(MatrixView<double>, const Visible&);
template void softmax_backward(MatrixView<float>, ConstMatrixView<float>);
template void softmax_backward(MatrixView<double>, ConstMatrixView<double>);
template void log_softmax(MatrixView<float>, ConstMatrixView<float>);
template void log_softmax(MatrixView<double>, ConstMatrixView<double>);

} // namespace tfx
