#pragma once
// What is done cell by cell between the products.

#include "core/view.hpp"

#include <algorithm>
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

/// Dropout: a cell becomes 0 with probability `rate` (to 16 bits), the others are divided by 1 − rate. Cell
/// (i, j) is decided by number first + j·rows + i of `draw(first, count, numbers)`, which fills `numbers`
/// with 16 random bits each: the mask depends on the place alone.
template <class Real, class Draw>
void drop(MatrixView<Real> y, double rate, const Draw& draw, std::uint64_t first = 0) {
  assert(rate >= 0 && rate < 1);
  constexpr std::size_t at_once = 512;
  const auto factor = static_cast<Real>(1 / (1 - rate));
  const auto threshold = static_cast<std::uint32_t>(rate * 65536 + 0.5);
  std::uint16_t numbers[at_once];
  if (y.stride == y.rows) y = {y.data, y.rows * y.cols, 1}; // one run of numbers
  for (std::size_t j = 0; j < y.cols; ++j)
    for (std::size_t i = 0; i < y.rows; i += at_once) {
      const std::size_t count = std::min(at_once, y.rows - i);
      draw(first + j * y.rows + i, count, numbers);
      Real* const cells = y.column(j) + i;
      for (std::size_t c = 0; c < count; ++c) cells[c] = numbers[c] < threshold ? 0 : cells[c] * factor;
    }
}

} // namespace tfx
