#pragma once
// Scaled dot-product attention of one head of one sequence. Queries are taken a tile at a time, so that no
// buffer of n_k × n_q is needed unless somebody wants to see one.
//
//   out = V · softmax(Kᵀ·Q / √d_k)      q d_k × n_q   k d_k × n_k   v d_v × n_k   out d_v × n_q
//
// A query that may see no key gets zeros. A masked value is skipped, not multiplied by 0: what stands in it,
// NaN included, changes nothing. Source: Vaswani et al. 2017, section 3.2.1.

#include "core/view.hpp"
#include "kernels/mask.hpp"

#include <functional>

namespace tfx {

template <class Real>
struct AttentionInputs {
  MatrixView<const Real> q, k, v;
  Visible visible = {};
};

/// Where to keep what is computed on the way, both n_k × n_q; a view without data is not written.
template <class Real>
struct AttentionRecord {
  MatrixView<Real> scores = {};  ///< Kᵀ·Q, before scale and mask
  MatrixView<Real> weights = {}; ///< after the softmax, before dropout
};

/// Changes a finished tile of weights (keys × queries) whose first column is query `first_query`: dropout.
template <class Real>
using EditWeights = std::function<void(MatrixView<Real> weights, std::size_t first_query)>;

/// `scratch` has n_k rows and at least one column: as many queries are taken at a time.
template <class Real>
void attention(MatrixView<Real> out, const AttentionInputs<Real>& inputs, MatrixView<Real> scratch,
               const AttentionRecord<Real>& record = {}, const EditWeights<Real>& edit = {});

template <class Real>
struct AttentionGradients {
  MatrixView<Real> q, k, v; ///< shaped as the inputs; overwritten
};

/// Backward, from the gradient of `out`. The weights are computed again, a tile at a time, and `edit` draws
/// the same dropout again. With P the weights and S the scores before the scale:
///   dV = d_out·Pᵀ   dP = Vᵀ·d_out   dS = softmax_backward(dP)/√d_k   dQ = K·dS   dK = Q·dSᵀ
/// `scratch` is as in forward, for the weights and for their gradient. Values that nobody may see must be
/// finite.
template <class Real>
struct AttentionScratch {
  MatrixView<Real> weights, d_weights;
};
template <class Real>
void attention_backward(const AttentionGradients<Real>& gradients, ConstMatrixView<Real> d_out,
                        const AttentionInputs<Real>& inputs, const AttentionScratch<Real>& scratch,
                        const EditWeights<Real>& edit = {});

} // namespace tfx
