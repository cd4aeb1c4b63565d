#include "kernels/gemm.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/simd/run.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <vector>

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

/// What threads share C in: rows of a panel of the widest vectors, columns of a strip on x86 (product.inc).
template <class Real>
constexpr std::size_t row_unit = 256 / sizeof(Real);
constexpr std::size_t column_unit = 6;

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
/// most to do. A number that it packs counts as so many, and so does one of op(B) that another thread's cache
/// has: tokens are shared by columns, and a thread has the same ones in every loop.
template <class Real>
bool rows_are_better(const ProductOf<Real>& p, std::size_t threads) {
  constexpr std::size_t copied = 16;
  const std::size_t rows = longest_share(p.c.rows, row_unit<Real>, threads),
                    cols = longest_share(p.c.cols, column_unit, threads);
  const bool pack_b = p.b.transpose == Transpose::yes;
  const std::size_t by_rows = rows * p.c.cols + copied * (rows + p.c.cols - (pack_b ? 0 : cols));
  const std::size_t by_columns = p.c.rows * cols + copied * (p.c.rows + (pack_b ? cols : 0));
  return by_rows <= by_columns;
}

/// body(Slice) for the units of a loop over `of` numbers, in about so many slices.
template <class Body>
void in_units(std::size_t of, std::size_t unit, std::size_t slices, const Body& body) {
  const std::size_t units = (of + unit - 1) / unit;
  parallel_for(
      units,
      [&](Slice slice) {
        body({slice.begin * unit, std::min(slice.end * unit, of)});
      },
      std::max<std::size_t>(1, units / slices));
}

/// As many slices for each of `parts` threads, four at most, as are worth waking a thread: an odd one would
/// keep one thread while the others wait.
std::size_t even_slices(std::size_t macs, std::size_t parts) {
  return std::clamp<std::size_t>(macs / worth_a_thread / parts, 1, 4) * parts;
}

std::size_t threads_for(std::size_t macs) {
  return std::min(threads(), macs / worth_a_thread + 1);
}

template <class Real>
std::size_t macs_of(const ProductOf<Real>& p) {
  return p.c.rows * p.c.cols * p.a.cols();
}

template <class Real>
void run_in_blocks(const ProductOf<Real>& p) {
  const auto product = [](const ProductOf<Real>& part) { TFX_CALL(product_in_blocks, part); };
  const std::size_t macs = macs_of(p), parts = threads_for(macs);
  if (parts == 1) return product(p);
  if (!rows_are_better(p, parts))
    return in_units(p.c.cols, column_unit, parts, [&](Slice slice) { product(columns_of(p, slice)); });
  // Rows of C pack rows of op(A), each once; a transposed op(B) every slice would pack again.
  const bool packs_once = p.b.transpose == Transpose::no;
  in_units(p.c.rows, row_unit<Real>, packs_once ? even_slices(macs, parts) : parts,
           [&](Slice slice) { product(rows_of(p, slice)); });
}

template <class Real>
struct FewColumns {
  ProductOf<Real> product;
  const NarrowMatrix* narrow = nullptr;
};

template <class Real>
void run_rows(const FewColumns<Real>& whole, Slice rows) {
  const ProductOf<Real> part = rows_of(whole.product, rows);
  if constexpr (std::is_same_v<Real, float>)
    if (whole.narrow) return TFX_CALL(product_of_narrow_rows, part, *whole.narrow, rows.begin);
  TFX_CALL(product_of_few_columns, part);
}

/// The rows of all of them in one loop, one product's after the other's.
template <class Real>
void run_few_columns(std::span<const FewColumns<Real>> products) {
  std::size_t rows = 0, macs = 0;
  for (const auto& [p, narrow] : products) rows += p.c.rows, macs += macs_of(p);
  const auto run = [&](Slice slice) {
    std::size_t first = 0;
    for (const FewColumns<Real>& one : products) {
      const std::size_t count = one.product.c.rows, begin = std::max(slice.begin, first),
                        end = std::min(slice.end, first + count);
      if (begin < end) run_rows(one, {begin - first, end - first});
      first += count;
    }
  };
  const std::size_t parts = threads_for(macs);
  if (parts == 1) return run({0, rows});
  constexpr std::size_t line = 16; // rows, so that no two threads write one line of the cache
  in_units(rows, line, even_slices(macs, parts), run);
}

template <class Real>
bool has_few_columns(const ProductOf<Real>& p) {
  return p.c.cols <= few_columns && p.a.transpose == Transpose::yes && p.b.transpose == Transpose::no;
}

template <class Real>
void run(const ProductOf<Real>& p) {
  count_macs(macs_of(p));
  if (!has_few_columns(p)) return run_in_blocks(p);
  const FewColumns<Real> one{p};
  run_few_columns(std::span(&one, 1));
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

template <class Real>
void gemm_with_bias(std::span<const ProductWithBias<Real>> products, GemmOperand<Real> b) {
  std::vector<FewColumns<Real>> together;
  for (const auto& [c, a, bias, narrow] : products) {
    const ProductOf<Real> p{c, a, b, 1, false, bias};
    if (!has_few_columns(p) || macs_of(p) == 0) {
      gemm_with_bias(c, a, b, bias);
      continue;
    }
    assert(c.rows == a.rows() && c.cols == b.cols() && a.cols() == b.rows());
    count_macs(macs_of(p));
    together.push_back({p, narrow});
  }
  run_few_columns(std::span<const FewColumns<Real>>(together));
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
template void gemm_with_bias(std::span<const ProductWithBias<float>>, GemmOperand<float>);
template void gemm_with_bias(std::span<const ProductWithBias<double>>, GemmOperand<double>);

} // namespace tfx
