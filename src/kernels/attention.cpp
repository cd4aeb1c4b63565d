#include "kernels/attention.hpp"

#include "core/memory.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/gemm.hpp"
#include "kernels/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/simd/lanes.hpp"
#include "kernels/simd/run.hpp"

#define TFX_KERNEL "kernels/attention_kernels.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

namespace {

template <class Real>
void require_fit(MatrixView<const Real> out, const HeadInputs<Real>& inputs) {
  assert(inputs.q.rows == inputs.k.rows && inputs.k.cols == inputs.v.cols);
  assert(out.rows == inputs.v.rows && out.cols == inputs.q.cols);
  (void)out, (void)inputs;
}

/// Multiply-adds of the definition; tiles that nobody sees are skipped, and counted.
template <class Real>
std::uint64_t macs(const HeadInputs<Real>& inputs) {
  return std::uint64_t{inputs.q.cols} * inputs.k.cols * (inputs.q.rows + inputs.v.rows);
}

template <class Real>
bool all_finite(MatrixView<const Real> x) {
  for (std::size_t j = 0; j < x.cols; ++j)
    for (std::size_t i = 0; i < x.rows; ++i)
      if (!std::isfinite(x(i, j))) return false;
  return true;
}

/// out = V·weights over what may be seen: 0·NaN is NaN, so a product would let a hidden value through.
template <class Real>
void mix_visible(MatrixView<Real> out, MatrixView<const Real> v, MatrixView<const Real> weights,
                 const AttentionMask& visible) {
  for (std::size_t j = 0; j < out.cols; ++j) {
    std::fill_n(out.column(j), out.rows, Real{0});
    for (std::size_t key = 0; key < v.cols; ++key)
      if (visible(key, j))
        for (std::size_t i = 0; i < out.rows; ++i) out(i, j) += v(i, key) * weights(key, j);
  }
  count_macs(std::uint64_t{out.rows} * out.cols * v.cols);
}

} // namespace

template <class Real>
void attention(MatrixView<Real> out, const HeadInputs<Real>& inputs, const WeightDropout& dropout) {
  require_fit<Real>(out, inputs);
  if (out.cols == 0) return;
  count_macs(macs(inputs));
  if (out.cols == 1 && dropout.rate == 0)
    TFX_CALL(attention_of_one_query, out, inputs);
  else
    TFX_CALL(tiled_attention, out, inputs, dropout);
}

template <class Real>
void recorded_attention(MatrixView<Real> out, const HeadInputs<Real>& inputs,
                        const AttentionRecord<Real>& record, const WeightDropout& dropout) {
  constexpr std::size_t at_once = 64;
  const auto& [q, k, v, visible_to_all] = inputs;
  require_fit<Real>(out, inputs);
  const Real inverse_root = 1 / std::sqrt(static_cast<Real>(q.rows));
  const bool finite = all_finite(v);
  std::vector<Real> cells(k.cols * std::min(at_once, q.cols));
  for (std::size_t first = 0; first < q.cols; first += at_once) {
    const std::size_t count = std::min(at_once, q.cols - first);
    const MatrixView<Real> tile(cells.data(), k.cols, count), mixture = out.columns(first, count);
    AttentionMask visible = visible_to_all;
    visible.first_query += first;
    gemm(tile, transposed(k), plain(q.columns(first, count)));
    if (record.scores.data) copy(record.scores.columns(first, count), tile);
    scale(tile, inverse_root);
    softmax(tile, visible);
    if (record.weights.data) copy(record.weights.columns(first, count), tile);
    if (dropout.rate > 0) drop(tile, dropout.rate, dropout.draw, dropout.first + first * k.cols);
    if (finite)
      gemm(mixture, plain(v), plain(tile));
    else
      mix_visible<Real>(mixture, v, tile, visible);
  }
}

template <class Real>
void attention_backward(const HeadGradients<Real>& gradients, ConstMatrixView<Real> d_out,
                        const HeadInputs<Real>& inputs, const WeightDropout& dropout) {
  require_fit<Real>(d_out, inputs);
  count_macs(macs(inputs) * 2 + std::uint64_t{inputs.q.cols} * inputs.k.cols * inputs.q.rows);
  TFX_CALL(tiled_attention_backward, gradients, d_out, inputs, dropout);
}

template void attention(MatrixView<float>, const HeadInputs<float>&, const WeightDropout&);
template void attention(MatrixView<double>, const HeadInputs<double>&, const WeightDropout&);
template void recorded_attention(MatrixView<float>, const HeadInputs<float>&, const AttentionRecord<float>&,
                                 const WeightDropout&);
template void recorded_attention(MatrixView<double>, const HeadInputs<double>&,
                                 const AttentionRecord<double>&, const WeightDropout&);
template void attention_backward(const HeadGradients<float>&, ConstMatrixView<float>,
                                 const HeadInputs<float>&, const WeightDropout&);
template void attention_backward(const HeadGradients<double>&, ConstMatrixView<double>,
                                 const HeadInputs<double>&, const WeightDropout&);

} // namespace tfx
