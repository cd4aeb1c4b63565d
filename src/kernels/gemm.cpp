#include "kernels/gemm.hpp"

#include "core/parallel.hpp"

#include <atomic>
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

constexpr int column_major = 102, no_transpose = 111, transpose = 112; // CBLAS_ORDER, CBLAS_TRANSPOSE

/// Waking a thread costs some microseconds: as much as this many multiply-adds.
constexpr std::size_t worth_a_thread = 1 << 18;

std::atomic<std::uint64_t> macs_so_far{0};

int cblas_size(std::size_t size) {
  assert(size <= static_cast<std::size_t>(std::numeric_limits<int>::max()));
  return static_cast<int>(size);
}

int cblas_op(Orientation orientation) {
  return orientation == Orientation::plain ? no_transpose : transpose;
}

template <class Real>
void one_thread(MatrixView<Real> c, const Factor<Real>& a, const Factor<Real>& b, Real alpha, Real beta) {
  const int m = cblas_size(c.rows), n = cblas_size(c.cols), k = cblas_size(a.cols());
  const int lda = cblas_size(a.matrix.stride), ldb = cblas_size(b.matrix.stride), ldc = cblas_size(c.stride);
  if constexpr (std::is_same_v<Real, float>)
    cblas_sgemm(column_major, cblas_op(a.orientation), cblas_op(b.orientation), m, n, k, alpha, a.matrix.data,
                lda, b.matrix.data, ldb, beta, c.data, ldc);
  else
    cblas_dgemm(column_major, cblas_op(a.orientation), cblas_op(b.orientation), m, n, k, alpha, a.matrix.data,
                lda, b.matrix.data, ldb, beta, c.data, ldc);
}

template <class Real>
void scale_or_clear(MatrixView<Real> c, Real beta) {
  for (std::size_t j = 0; j < c.cols; ++j)
    for (std::size_t i = 0; i < c.rows; ++i) c(i, j) = beta == 0 ? 0 : beta * c(i, j);
}

template <class Real>
Factor<Real> slab_of(const Factor<Real>& b, Slice slice) {
  if (b.orientation == Orientation::plain)
    return {b.matrix.columns(slice.begin, slice.size()), b.orientation};
  return {b.matrix.block(slice.begin, slice.size(), 0, b.matrix.cols), b.orientation};
}

} // namespace

template <class Real>
void gemm(MatrixView<Real> c, Factor<Real> a, Factor<Real> b, std::type_identity_t<Real> alpha,
          std::type_identity_t<Real> beta) {
  assert(c.rows == a.rows() && c.cols == b.cols() && a.cols() == b.rows());
  if (c.rows == 0 || c.cols == 0) return;
  if (a.cols() == 0) return scale_or_clear(c, beta);
  const std::size_t macs_a_column = c.rows * a.cols();
  count_macs(std::uint64_t{macs_a_column} * c.cols);
  parallel_for(
      c.cols,
      [&](Slice slice) {
        one_thread(c.columns(slice.begin, slice.size()), a, slab_of(b, slice), alpha, beta);
      },
      worth_a_thread / macs_a_column + 1);
}

std::uint64_t executed_macs() {
  return macs_so_far.load(std::memory_order_relaxed);
}

void reset_executed_macs() {
  macs_so_far.store(0, std::memory_order_relaxed);
}

void count_macs(std::uint64_t macs) {
  macs_so_far.fetch_add(macs, std::memory_order_relaxed);
}

template void gemm(MatrixView<float>, Factor<float>, Factor<float>, float, float);
template void gemm(MatrixView<double>, Factor<double>, Factor<double>, double, double);

} // namespace tfx
