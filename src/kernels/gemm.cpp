#include "kernels/gemm.hpp"

#include "core/parallel.hpp"
#include "core/scratch.hpp"
#include "kernels/elementwise.hpp"

#include <algorithm>
#include <atomic>

namespace tfx {

namespace {

/// What the kernel is given: C = alpha·op(A)·op(B), onto C or from the bias on, or from 0.
template <class Real>
struct ProductOf {
  MatrixView<Real> c;
  GemmOperand<Real> a, b;
  Real alpha = 1;
  bool accumulate = false;
  const Real* bias = nullptr;
};

} // namespace

} // namespace tfx

#define TFX_KERNEL "kernels/product.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

namespace {

/// Waking a thread costs some microseconds: as much as this many multiply-adds.
constexpr std::size_t worth_a_thread = 1 << 17;

/// Up to as many columns are taken as dot products.
constexpr std::size_t few_columns = 12;

std::atomic<std::uint64_t> macs_so_far{0};

template <class Real>
GemmOperand<Real> rows_of(const GemmOperand<Real>& a, Slice slice) {
  if (a.transpose == Transpose::yes) return {a.matrix.columns(slice.begin, slice.size()), a.transpose};
  return {a.matrix.block(slice.begin, slice.size(), 0, a.matrix.cols), a.transpose};
}

template <class Real>
GemmOperand<Real> columns_of(const GemmOperand<Real>& b, Slice slice) {
  if (b.transpose == Transpose::no) return {b.matrix.columns(slice.begin, slice.size()), b.transpose};
  return {b.matrix.block(slice.begin, slice.size(), 0, b.matrix.cols), b.transpose};
}

template <class Real>
ProductOf<Real> rows_of(const ProductOf<Real>& p, Slice slice) {
  ProductOf<Real> part = p;
  part.c = p.c.block(slice.begin, slice.size(), 0, p.c.cols);
  part.a = rows_of(p.a, slice);
  if (p.bias) part.bias = p.bias + slice.begin;
  return part;
}

template <class Real>
ProductOf<Real> columns_of(const ProductOf<Real>& p, Slice slice) {
  ProductOf<Real> part = p;
  part.c = p.c.columns(slice.begin, slice.size());
  part.b = columns_of(p.b, slice);
  return part;
}

/// `of` in pieces of `unit`, the longest share of `threads` in numbers.
std::size_t longest_share(std::size_t of, std::size_t unit, std::size_t threads) {
  const std::size_t pieces = (of + unit - 1) / unit;
  return std::min(of, (pieces + threads - 1) / threads * unit);
}

/// Whether threads should share C's rows rather than its columns: by the multiply-adds of the thread that has
/// most to do, a packed number counted as so many.
template <class Real>
bool rows_are_better(const ProductOf<Real>& p, std::size_t unit, std::size_t threads) {
  constexpr std::size_t packing = 16, strip = 6;
  const std::size_t rows = longest_share(p.c.rows, unit, threads),
                    cols = longest_share(p.c.cols, strip, threads);
  const bool pack_b = p.b.transpose == Transpose::yes;
  const std::size_t by_rows = rows * p.c.cols + packing * (rows + (pack_b ? p.c.cols : 0));
  const std::size_t by_columns = p.c.rows * cols + packing * (p.c.rows + (pack_b ? cols : 0));
  return by_rows <= by_columns;
}

template <class Real>
void run(const ProductOf<Real>& p) {
  const std::size_t macs = p.c.rows * p.c.cols * p.a.cols();
  count_macs(macs);
  const bool few =
      p.c.cols <= few_columns && p.a.transpose == Transpose::yes && p.b.transpose == Transpose::no;
  constexpr std::size_t row_unit = 32 * sizeof(float) / sizeof(Real),
                        strip = 6; // a panel of the widest vectors
  const auto product = [&](const ProductOf<Real>& part) {
    return few ? TFX_CALL(product_of_few_columns, part) : TFX_CALL(product_in_blocks, part);
  };
  const std::size_t parts = std::min(threads(), macs / worth_a_thread + 1);
  if (parts == 1) return product(p);
  const bool by_rows = few || rows_are_better(p, row_unit, parts);
  // Rows of C pack rows of op(A), each once; otherwise every slice more packs something again.
  const bool packs_once = by_rows && p.b.transpose == Transpose::no;
  const std::size_t slices = packs_once ? std::min(4 * parts, macs / worth_a_thread + 1) : parts;
  const auto in_units = [&](std::size_t of, std::size_t unit, const auto& part_of) {
    const std::size_t units = (of + unit - 1) / unit;
    parallel_for(
        units,
        [&](Slice slice) {
          product(part_of(p, Slice{slice.begin * unit, std::min(slice.end * unit, of)}));
        },
        std::max<std::size_t>(1, units / slices));
  };
  if (by_rows)
    in_units(p.c.rows, few ? 8 : row_unit,
             [](const auto& whole, Slice slice) { return rows_of(whole, slice); });
  else
    in_units(p.c.cols, strip, [](const auto& whole, Slice slice) { return columns_of(whole, slice); });
}

template <class Real>
void fill(MatrixView<Real> c, const Real* column) {
  for (std::size_t j = 0; j < c.cols; ++j)
    for (std::size_t i = 0; i < c.rows; ++i) c(i, j) = column ? column[i] : 0;
}

} // namespace

template <class Real>
void gemm(MatrixView<Real> c, GemmOperand<Real> a, GemmOperand<Real> b, std::type_identity_t<Real> alpha,
          std::type_identity_t<Real> beta) {
  assert(c.rows == a.rows() && c.cols == b.cols() && a.cols() == b.rows());
  if (c.rows == 0 || c.cols == 0) return;
  if (beta != 0 && beta != 1) scale(c, beta);
  if (a.cols() == 0) {
    if (beta == 0) fill<Real>(c, nullptr);
    return;
  }
  run(ProductOf<Real>{c, a, b, alpha, beta != 0, nullptr});
}

template <class Real>
void gemm_with_bias(MatrixView<Real> c, GemmOperand<Real> a, GemmOperand<Real> b,
                    const std::type_identity_t<Real>* bias) {
  assert(c.rows == a.rows() && c.cols == b.cols() && a.cols() == b.rows());
  if (c.rows == 0 || c.cols == 0) return;
  if (a.cols() == 0) return fill(c, bias);
  run(ProductOf<Real>{c, a, b, 1, false, bias});
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

template void gemm(MatrixView<float>, GemmOperand<float>, GemmOperand<float>, float, float);
template void gemm(MatrixView<double>, GemmOperand<double>, GemmOperand<double>, double, double);
template void gemm_with_bias(MatrixView<float>, GemmOperand<float>, GemmOperand<float>, const float*);
template void gemm_with_bias(MatrixView<double>, GemmOperand<double>, GemmOperand<double>, const double*);

} // namespace tfx
