#include "kernels/attention.hpp"

#include "kernels/elementwise.hpp"
#include "kernels/gemm.hpp"
#include "kernels/softmax.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

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
                 const Visible& visible) {
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
void attention(MatrixView<Real> out, const AttentionInputs<Real>& inputs, MatrixView<Real> scratch,
               const AttentionRecord<Real>& record, const EditWeights<Real>& edit) {
  const auto& [q, k, v, visible_to_all] = inputs;
  assert(q.rows == k.rows && k.cols == v.cols && out.rows == v.rows && out.cols == q.cols);
  assert(scratch.rows == k.cols && scratch.cols > 0);
  const Real inverse_root = 1 / std::sqrt(static_cast<Real>(q.rows));
  const bool finite = all_finite(v);
  for (std::size_t first = 0; first < q.cols; first += scratch.cols) {
    const std::size_t count = std::min(scratch.cols, q.cols - first);
    const MatrixView<Real> tile = scratch.columns(0, count), mixture = out.columns(first, count);
    Visible visible = visible_to_all;
    visible.first_query += first;
    gemm(tile, transposed(k), plain(q.columns(first, count)));
    if (record.scores.data) copy(record.scores.columns(first, count), tile);
    scale(tile, inverse_root);
    softmax(tile, visible);
    if (record.weights.data) copy(record.weights.columns(first, count), tile);
    if (edit) edit(tile, first);
    if (finite)
      gemm(mixture, plain(v), plain(tile));
    else
      mix_visible<Real>(mixture, v, tile, visible);
  }
}

template <class Real>
void attention_backward(const AttentionGradients<Real>& gradients, ConstMatrixView<Real> d_out,
                        const AttentionInputs<Real>& inputs, const AttentionScratch<Real>& scratch,
                        const EditWeights<Real>& edit) {
  const auto& [q, k, v, visible_to_all] = inputs;
  assert(d_out.rows == v.rows && d_out.cols == q.cols);
  const Real inverse_root = 1 / std::sqrt(static_cast<Real>(q.rows));
  for (std::size_t first = 0; first < q.cols; first += scratch.weights.cols) {
    const std::size_t count = std::min(scratch.weights.cols, q.cols - first);
    const MatrixView<Real> weights = scratch.weights.columns(0, count),
                           d_weights = scratch.d_weights.columns(0, count);
    const MatrixView<const Real> queries = q.columns(first, count), d_mixture = d_out.columns(first, count);
    const Real onto_earlier_tiles = first == 0 ? 0 : 1;
    Visible visible = visible_to_all;
    visible.first_query += first;
    gemm(weights, transposed(k), plain(queries), inverse_root);
    softmax(weights, visible);
    copy(d_weights, weights);
    if (edit) edit(d_weights, first);
    gemm(gradients.v, plain(d_mixture), transposed(d_weights), 1, onto_earlier_tiles);
    gemm(d_weights, transposed(v), plain(d_mixture));
    if (edit) edit(d_weights, first);
    softmax_backward<Real>(d_weights, weights);
    gemm(gradients.q.columns(first, count), plain(k), plain(d_weights), inverse_root);
    gemm(gradients.k, plain(queries), transposed(d_weights), inverse_root, onto_earlier_tiles);
  }
}

template void attention_backward(const AttentionGradients<float>&, ConstMatrixView<float>,
                                 const AttentionInputs<float>&, const AttentionScratch<float>&,
                                 const EditWeights<float>&);
template void attention_backward(const AttentionGradients<double>&, ConstMatrixView<double>,
                                 const AttentionInputs<double>&, const AttentionScratch<double>&,
                                 const EditWeights<double>&);
template void attention(MatrixView<float>, const AttentionInputs<float>&, MatrixView<float>,
                        const AttentionRecord<float>&, const EditWeights<float>&);
template void attention(MatrixView<double>, const AttentionInputs<double>&, MatrixView<double>,
                        const AttentionRecord<double>&, const EditWeights<double>&);

} // namespace tfx
