#include "kernels/elementwise.hpp"

#include <algorithm>

namespace tfx {

namespace {

/// sums[i] += Σ over j of cell(i, j), some rows at a time in double.
template <class Real, class Cell>
void add_sums(Real* sums, std::size_t rows, std::size_t cols, Cell cell) {
  constexpr std::size_t at_once = 256;
  double total[at_once];
  for (std::size_t first = 0; first < rows; first += at_once) {
    const std::size_t count = std::min(at_once, rows - first);
    std::fill_n(total, count, 0.0);
    for (std::size_t j = 0; j < cols; ++j)
      for (std::size_t i = 0; i < count; ++i) total[i] += cell(first + i, j);
    for (std::size_t i = 0; i < count; ++i) sums[first + i] += static_cast<Real>(total[i]);
  }
}

} // namespace

template <class Real>
void add(MatrixView<Real> y, ConstMatrixView<Real> x) {
  assert(y.rows == x.rows && y.cols == x.cols);
  for (std::size_t j = 0; j < y.cols; ++j)
    for (std::size_t i = 0; i < y.rows; ++i) y(i, j) += x(i, j);
}

template <class Real>
void add_bias(MatrixView<Real> y, const std::type_identity_t<Real>* bias) {
  for (std::size_t j = 0; j < y.cols; ++j)
    for (std::size_t i = 0; i < y.rows; ++i) y(i, j) += bias[i];
}

template <class Real>
void add_row_sums(Real* sums, ConstMatrixView<Real> x) {
  add_sums(sums, x.rows, x.cols, [&](std::size_t i, std::size_t j) { return static_cast<double>(x(i, j)); });
}

template <class Real>
void add_row_sums(Real* sums, ConstMatrixView<Real> x, ConstMatrixView<Real> y) {
  assert(y.rows == x.rows && y.cols == x.cols);
  add_sums(sums, x.rows, x.cols,
           [&](std::size_t i, std::size_t j) { return static_cast<double>(x(i, j)) * y(i, j); });
}

template <class Real>
void scale(MatrixView<Real> y, std::type_identity_t<Real> factor) {
  for (std::size_t j = 0; j < y.cols; ++j)
    for (std::size_t i = 0; i < y.rows; ++i) y(i, j) *= factor;
}

template <class Real>
void copy(MatrixView<Real> y, ConstMatrixView<Real> x) {
  assert(y.rows == x.rows && y.cols == x.cols);
  for (std::size_t j = 0; j < y.cols; ++j) std::copy_n(x.column(j), x.rows, y.column(j));
}

template void add(MatrixView<float>, ConstMatrixView<float>);
template void add(MatrixView<double>, ConstMatrixView<double>);
template void add_bias(MatrixView<float>, const float*);
template void add_bias(MatrixView<double>, const double*);
template void add_row_sums(float*, ConstMatrixView<float>);
template void add_row_sums(double*, ConstMatrixView<double>);
template void add_row_sums(float*, ConstMatrixView<float>, ConstMatrixView<float>);
template void add_row_sums(double*, ConstMatrixView<double>, ConstMatrixView<double>);
template void scale(MatrixView<float>, float);
template void scale(MatrixView<double>, double);
template void copy(MatrixView<float>, ConstMatrixView<float>);
template void copy(MatrixView<double>, ConstMatrixView<double>);

} // namespace tfx
