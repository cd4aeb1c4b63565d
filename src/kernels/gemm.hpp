#pragma once
// Products of matrices: the only file that calls BLAS. Long products are cut into slabs of C's columns, one a
// thread; inside a loop of parallel_for they run on the calling thread.
//
//   C = alpha · op(A) · op(B) + beta · C        C m×n, op(A) m×k, op(B) k×n

#include "core/view.hpp"

#include <cstdint>

namespace tfx {

enum class Orientation { plain, transposed };

/// A matrix as a product takes it.
template <class Real>
struct Factor {
  MatrixView<const Real> matrix;
  Orientation orientation = Orientation::plain;

  std::size_t rows() const { return orientation == Orientation::plain ? matrix.rows : matrix.cols; }
  std::size_t cols() const { return orientation == Orientation::plain ? matrix.cols : matrix.rows; }
};

template <class T>
Factor<std::remove_const_t<T>> plain(MatrixView<T> matrix) {
  return {matrix, Orientation::plain};
}

template <class T>
Factor<std::remove_const_t<T>> transposed(MatrixView<T> matrix) {
  return {matrix, Orientation::transposed};
}

/// With beta = 0, C is not read.
template <class Real>
void gemm(MatrixView<Real> c, Factor<Real> a, Factor<Real> b, std::type_identity_t<Real> alpha = 1,
          std::type_identity_t<Real> beta = 0);

/// Multiply-adds that products have executed in this process since the last reset, whatever the thread.
std::uint64_t executed_macs();
void reset_executed_macs();

/// For a product that is no gemm.
void count_macs(std::uint64_t macs);

} // namespace tfx
