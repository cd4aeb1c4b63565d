#include "kernels/elementwise.hpp"

#include "core/parallel.hpp"
#include "kernels/simd/run.hpp"

#include <algorithm>
#include <type_traits>

#define TFX_KERNEL "kernels/elementwise.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

namespace {

/// So many cells pay for waking a thread.
constexpr std::size_t worth_a_thread = 1 << 13;

template <class Real, class Body>
void each_slab(MatrixView<Real> y, const Body& body) {
  parallel_for(
      y.cols, [&](Slice slice) { body(y.columns(slice.begin, slice.size()), slice); },
      worth_a_thread / (y.rows + 1) + 1);
}

} // namespace

template <class Real>
void add(MatrixView<Real> y, ConstMatrixView<Real> x) {
  assert(y.rows == x.rows && y.cols == x.cols);
  each_slab(y, [&](MatrixView<Real> slab, Slice slice) {
    TFX_CALL(add_cells, slab, x.columns(slice.begin, slice.size()));
  });
}

template <class Real>
void add_bias(MatrixView<Real> y, const std::type_identity_t<Real>* bias) {
  each_slab(y, [&](MatrixView<Real> slab, Slice) { TFX_CALL(add_bias_to_columns, slab, bias); });
}

template <class Real>
void add_row_sums(Real* sums, ConstMatrixView<Real> x) {
  constexpr std::size_t unit = 16; // a cache line of floats
  parallel_for((x.rows + unit - 1) / unit,
               [&](Slice slice) {
                 const std::size_t first = slice.begin * unit, last = std::min(slice.end * unit, x.rows);
                 TFX_CALL(add_sums_of_rows, sums + first, x.block(first, last - first, 0, x.cols));
               },
               worth_a_thread / (unit * (x.cols + 1)) + 1);
}

template <class Real>
void scale(MatrixView<Real> y, std::type_identity_t<Real> factor) {
  each_slab(y, [&](MatrixView<Real> slab, Slice) { TFX_CALL(scale_cells, slab, factor); });
}

template <class Real>
void copy(MatrixView<Real> y, ConstMatrixView<Real> x) {
  assert(y.rows == x.rows && y.cols == x.cols);
  for (std::size_t j = 0; j < y.cols; ++j) std::copy_n(x.column(j), x.rows, y.column(j));
}

template <class Real>
double sum_of_squares(const Real* x, std::size_t n) {
  return TFX_CALL(squares_of_run, x, n);
}

template <class Real>
void drop(const DropRun<Real>& run) {
  TFX_CALL(drop_cells, run);
}

template void add(MatrixView<float>, ConstMatrixView<float>);
template void add(MatrixView<double>, ConstMatrixView<double>);
template void add_bias(MatrixView<float>, const float*);
template void add_bias(MatrixView<double>, const double*);
template void add_row_sums(float*, ConstMatrixView<float>);
template void add_row_sums(double*, ConstMatrixView<double>);
template void scale(MatrixView<float>, float);
template void scale(MatrixView<double>, double);
template void copy(MatrixView<float>, ConstMatrixView<float>);
template void copy(MatrixView<double>, ConstMatrixView<double>);
template double sum_of_squares(const float*, std::size_t);
template double sum_of_squares(const double*, std::size_t);
template void drop(const DropRun<float>&);
template void drop(const DropRun<double>&);

} // namespace tfx
