#pragma once
// What is done cell by cell between the products.

#include "core/view.hpp"

#include <cstdint>

namespace tfx {

/// y += x: the residual.
template <class Real>
void add(MatrixView<Real> y, ConstMatrixView<Real> x);

/// Every column += bias, which has y.rows numbers.
template <class Real>
void add_bias(MatrixView<Real> y, const std::type_identity_t<Real>* bias);

/// sums += Σ over the columns of x: what add_bias sends back. x.rows numbers, added in double.
template <class Real>
void add_row_sums(Real* sums, ConstMatrixView<Real> x);

/// sums += Σ over the columns of x ⊙ y: what a gain sends back.
template <class Real>
void add_row_sums(Real* sums, ConstMatrixView<Real> x, ConstMatrixView<Real> y);

/// y *= factor.
template <class Real>
void scale(MatrixView<Real> y, std::type_identity_t<Real> factor);

/// y = x.
template <class Real>
void copy(MatrixView<Real> y, ConstMatrixView<Real> x);

/// Dropout: a cell becomes 0 with probability `rate`, the others are divided by 1 − rate. Cell (i, j) is
/// decided by uniform(first + j·rows + i), a number in [0, 1): the mask depends on the place alone.
template <class Real, class Uniform>
void drop(MatrixView<Real> y, double rate, Uniform&& uniform, std::uint64_t first = 0) {
  assert(rate >= 0 && rate < 1);
  const auto factor = static_cast<Real>(1 / (1 - rate));
  for (std::size_t j = 0; j < y.cols; ++j)
    for (std::size_t i = 0; i < y.rows; ++i)
      y(i, j) = uniform(first + j * y.rows + i) < rate ? 0 : y(i, j) * factor;
}

} // namespace tfx
