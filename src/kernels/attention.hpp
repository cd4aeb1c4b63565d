#pragma once
// Scaled dot-product attention of one head of one sequence.
//
//   out = V · softmax(Kᵀ·Q / √d_k)      q d_k × n_q   k d_k × n_k   v d_v × n_k   out d_v × n_q
//
// A query that may see no key gets zeros. A masked value is skipped, not multiplied by 0: what stands in it,
// NaN included, changes nothing. Weights are never kept for more than a tile (kernels/attention.inc), unless
// somebody wants to see them. Source: Vaswani et al. 2017, section 3.2.1; Dao et al. 2022 (the tiles).

#include "core/view.hpp"
#include "kernels/mask.hpp"

#include <cstdint>
#include <functional>

namespace tfx {

/// What one head of one sequence reads; the shapes stand above.
template <class Real>
struct HeadInputs {
  MatrixView<const Real> q, k, v;
  AttentionMask visible = {};
};

/// Dropout of the weights: that of (key, query) is decided by number first + query·n_k + key, as in drop()
/// (kernels/elementwise.hpp).
struct WeightDropout {
  double rate = 0;
  std::function<void(std::uint64_t first, std::size_t count, std::uint16_t* numbers)> draw = {};
  std::uint64_t first = 0;
};

template <class Real>
void attention(MatrixView<Real> out, const HeadInputs<Real>& inputs, const WeightDropout& dropout = {});

/// Where to keep the intermediate results, both n_k × n_q; a view without data is not written.
template <class Real>
struct AttentionRecord {
  MatrixView<Real> scores = {};  ///< Kᵀ·Q, before scale and mask
  MatrixView<Real> weights = {}; ///< after the softmax, before dropout
};

/// The same, step by step and some queries at a time, so that scores and weights can be recorded.
template <class Real>
void recorded_attention(MatrixView<Real> out, const HeadInputs<Real>& inputs,
                        const AttentionRecord<Real>& record, const WeightDropout& dropout = {});

template <class Real>
struct HeadGradients {
  MatrixView<Real> q;    ///< shaped as the input; overwritten
  MatrixView<Real> k, v; ///< likewise; added to, as several heads of queries may share one of keys
};

/// Backward, from the gradient of `out`. The weights are computed again, for some queries at a time, and the
/// same dropout is drawn again. With P the weights, M their dropout and S the scores before the scale:
///   dV = d_out·(P⊙M)ᵀ   dP = M ⊙ Vᵀ·d_out   dS = P ⊙ (dP − Σ P⊙dP)/√d_k   dQ = K·dS   dK = Q·dSᵀ
/// Keys and values that nobody may see must be finite.
template <class Real>
void attention_backward(const HeadGradients<Real>& gradients, ConstMatrixView<Real> d_out,
                        const HeadInputs<Real>& inputs, const WeightDropout& dropout = {});

} // namespace tfx
