#pragma once
// Products of matrices, on our own kernel (kernels/product.inc).
//
//   C = alpha · op(A) · op(B) + beta · C        C m×n, op(A) m×k, op(B) k×n
//
// Threads take rows or columns of C, whichever leaves less to pack twice; inside a loop of parallel_for a
// product runs on the calling thread. A cell is summed in the same order whatever the number of threads.

#include "core/view.hpp"
#include "kernels/narrow.hpp"

#include <cstdint>
#include <span>

namespace tfx {

enum class Transpose { no, yes };

/// An operand of gemm, op(A) or op(B): a matrix or its transpose. rows() and cols() are those of op.
template <class Real>
struct GemmOperand {
  MatrixView<const Real> matrix;
  Transpose transpose = Transpose::no;

  std::size_t rows() const { return transpose == Transpose::no ? matrix.rows : matrix.cols; }
  std::size_t cols() const { return transpose == Transpose::no ? matrix.cols : matrix.rows; }
};

template <class T>
GemmOperand<std::remove_const_t<T>> plain(MatrixView<T> matrix) {
  return {matrix, Transpose::no};
}

template <class T>
GemmOperand<std::remove_const_t<T>> transposed(MatrixView<T> matrix) {
  return {matrix, Transpose::yes};
}

/// With beta = 0, C is not read.
template <class Real>
void gemm(MatrixView<Real> c, GemmOperand<Real> a, GemmOperand<Real> b, std::type_identity_t<Real> alpha = 1,
          std::type_identity_t<Real> beta = 0);

/// C = op(A)·op(B) + bias: m numbers, added to every column; nullptr: none.
template <class Real>
void gemm_with_bias(MatrixView<Real> c, GemmOperand<Real> a, GemmOperand<Real> b,
                    const std::type_identity_t<Real>* bias);

/// One of several products of the same B: C = op(A)·op(B) + bias.
template <class Real>
struct ProductWithBias {
  MatrixView<Real> c;
  GemmOperand<Real> a;
  const Real* bias = nullptr;
  const NarrowMatrix* narrow = nullptr; ///< of floats: op(A) in fewer bits, read where B has few columns
};

/// All of them; where B has a few columns, as a token has that is decoded, threads begin and end once and not
/// for each. The same numbers.
template <class Real>
void gemm_with_bias(std::span<const ProductWithBias<Real>> products, GemmOperand<Real> b);

/// The same as gemm by BLAS, on the calling thread: what the kernel is compared with.
template <class Real>
void blas_gemm(MatrixView<Real> c, GemmOperand<Real> a, GemmOperand<Real> b,
               std::type_identity_t<Real> alpha = 1, std::type_identity_t<Real> beta = 0);

/// Multiply-adds that products have executed in this process since the last reset, whatever the thread.
std::uint64_t executed_macs();
void reset_executed_macs();

/// For a product that is no gemm.
void count_macs(std::uint64_t macs);

} // namespace tfx
