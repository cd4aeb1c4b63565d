#pragma once
// Operations on single cells, between the products. Threads share long ones, unless the caller runs inside
// parallel_for; results do not depend on the number of threads. Views that are combined have one shape.

#include "core/view.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tfx {

/// y += x: the residual.
template <class Real>
void add(MatrixView<Real> y, ConstMatrixView<Real> x);

/// Every column += bias, which has y.rows numbers.
template <class Real>
void add_bias(MatrixView<Real> y, const std::type_identity_t<Real>* bias);

/// sums, x.rows numbers, += Σ over the columns of x: the gradient of a bias. Sixteen columns at a time are
/// added in Real, their sums in double.
template <class Real>
void add_row_sums(Real* sums, ConstMatrixView<Real> x);

/// y *= factor.
template <class Real>
void scale(MatrixView<Real> y, std::type_identity_t<Real> factor);

/// y = x.
template <class Real>
void copy(MatrixView<Real> y, ConstMatrixView<Real> x);

/// Σ x² of n numbers, a few at a time in Real, their sums in double; on the calling thread.
template <class Real>
double sum_of_squares(const Real* x, std::size_t n);

/// What a dropout rate does to a cell by its 16 random bits: 0 below the threshold, otherwise times the
/// factor.
template <class Real>
struct DropRule {
  std::uint32_t threshold;
  Real factor;

  explicit DropRule(double rate)
      : threshold(static_cast<std::uint32_t>(std::lround(rate * 65536))),
        factor(static_cast<Real>(1 / (1 - rate))) {}
};

/// Dropout of a run of `count` cells: y = base + x by the rule.
template <class Real>
struct DropRun {
  Real* y;
  const Real* base;             ///< nullptr: 0
  const Real* x;                ///< y may be base or x
  const std::uint16_t* numbers; ///< 16 random bits a cell
  std::size_t count;
  DropRule<Real> rule;
};
template <class Real>
void drop(const DropRun<Real>& run);

/// Dropout: a cell becomes 0 with probability `rate` (to 16 bits), the others are divided by 1 − rate. Cell
/// (i, j) is decided by number first + j·rows + i of `draw(first, count, numbers)`, which fills `numbers`
/// with 16 random bits each: the mask depends on the place alone. y = base + dropped x, where base may have
/// no data: 0. y may be base or x.
template <class Real, class Draw>
void drop(MatrixView<Real> y, ConstMatrixView<Real> base, ConstMatrixView<Real> x, double rate,
          const Draw& draw, std::uint64_t first = 0) {
  assert(rate >= 0 && rate < 1 && x.rows == y.rows && x.cols == y.cols);
  constexpr std::size_t at_once = 512;
  const DropRule<Real> rule(rate);
  std::uint16_t numbers[at_once];
  for (std::size_t cell = 0; cell < y.rows * y.cols;) {
    const std::size_t i = cell % y.rows, j = cell / y.rows;
    const bool one_run = y.stride == y.rows && x.stride == x.rows && base.stride == base.rows;
    const std::size_t count = std::min(at_once, one_run ? y.rows * y.cols - cell : y.rows - i);
    draw(first + cell, count, numbers);
    drop(DropRun<Real>{y.column(j) + i, base.data ? base.column(j) + i : nullptr, x.column(j) + i, numbers,
                       count, rule});
    cell += count;
  }
}

/// The same in place.
template <class Real, class Draw>
void drop(MatrixView<Real> y, double rate, const Draw& draw, std::uint64_t first = 0) {
  drop<Real>(y, {}, y, rate, draw, first);
}

} // namespace tfx
