// The products of BLAS: the only file that calls them.

#include "kernels/gemm.hpp"

#include <limits>

// Declared here and not by <cblas.h>, which stands elsewhere in every distribution.
extern "C" {
void cblas_sgemm(int order, int op_a, int op_b, int m, int n, int k, float alpha, const float* a, int lda,
                 const float* b, int ldb, float beta, float* c, int ldc);
void cblas_dgemm(int order, int op_a, int op_b, int m, int n, int k, double alpha, const double* a, int lda,
                 const double* b, int ldb, double beta, double* c, int ldc);
}

namespace tfx {

namespace {

constexpr int cblas_col_major = 102, cblas_no_trans = 111, cblas_trans = 112;

int cblas_size(std::size_t size) {
  assert(size <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  return static_cast<int>(size);
}

int cblas_op(Transpose transpose) {
  return transpose == Transpose::no ? cblas_no_trans : cblas_trans;
}

} // namespace

template <class Real>
void blas_gemm(MatrixView<Real> c, GemmOperand<Real> a, GemmOperand<Real> b, std::type_identity_t<Real> alpha,
               std::type_identity_t<Real> beta) {
  assert(c.rows == a.rows() && c.cols == b.cols() && a.cols() == b.rows());
  if (c.rows == 0 || c.cols == 0) return;
  count_macs(std::uint64_t{c.rows} * c.cols * a.cols());
  const int m = cblas_size(c.rows), n = cblas_size(c.cols), k = cblas_size(a.cols());
  const int lda = cblas_size(a.matrix.stride), ldb = cblas_size(b.matrix.stride), ldc = cblas_size(c.stride);
  if constexpr (std::is_same_v<Real, float>)
    cblas_sgemm(cblas_col_major, cblas_op(a.transpose), cblas_op(b.transpose), m, n, k, alpha, a.matrix.data,
                lda, b.matrix.data, ldb, beta, c.data, ldc);
  else
    cblas_dgemm(cblas_col_major, cblas_op(a.transpose), cblas_op(b.transpose), m, n, k, alpha, a.matrix.data,
                lda, b.matrix.data, ldb, beta, c.data, ldc);
}

template void blas_gemm(MatrixView<float>, GemmOperand<float>, GemmOperand<float>, float, float);
template void blas_gemm(MatrixView<double>, GemmOperand<double>, GemmOperand<double>, double, double);

} // namespace tfx
