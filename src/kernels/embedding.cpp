#include "kernels/embedding.hpp"

#include "core/parallel.hpp"

#include <algorithm>

namespace tfx {

template <class Real>
void embed(MatrixView<Real> y, ConstMatrixView<Real> table, const std::uint32_t* ids,
           std::type_identity_t<Real> scale) {
  assert(y.rows == table.rows);
  for (std::size_t t = 0; t < y.cols; ++t) {
    assert(ids[t] < table.cols);
    const Real* const row = table.column(ids[t]);
    for (std::size_t i = 0; i < y.rows; ++i) y(i, t) = row[i] * scale;
  }
}

template <class Real>
void embed_backward(MatrixView<Real> d_table, ConstMatrixView<Real> dy, const std::uint32_t* ids,
                    std::type_identity_t<Real> scale) {
  assert(dy.rows == d_table.rows);
  constexpr std::size_t unit = 16, worth_a_thread = 1 << 13;
  const std::size_t units = (dy.rows + unit - 1) / unit;
  parallel_for(
      units, // of rows: two threads never add to the same number
      [&](Slice slice) {
        const std::size_t first = slice.begin * unit, last = std::min(slice.end * unit, dy.rows);
        for (std::size_t t = 0; t < dy.cols; ++t) {
          assert(ids[t] < d_table.cols);
          Real* const row = d_table.column(ids[t]);
          const Real* const d = dy.column(t);
          for (std::size_t i = first; i < last; ++i) row[i] += d[i] * scale;
        }
      },
      worth_a_thread / (unit * (dy.cols + 1)) + 1);
}

template void embed_backward(MatrixView<float>, ConstMatrixView<float>, const std::uint32_t*, float);
template void embed_backward(MatrixView<double>, ConstMatrixView<double>, const std::uint32_t*, double);
template void embed(MatrixView<float>, ConstMatrixView<float>, const std::uint32_t*, float);
template void embed(MatrixView<double>, ConstMatrixView<double>, const std::uint32_t*, double);

} // namespace tfx
