#pragma once
// Several attentions side by side, each on its share of the width. Queries come from one batch of sequences,
// keys and values from the same one (self-attention) or from the encoder's output (cross-attention).
//
//   Q = W_Qᵀ·x_q + b_Q   K = W_Kᵀ·x_k + b_K   V = W_Vᵀ·x_k + b_V
//   head i: rows i·d_k … (i + 1)·d_k − 1 of Q, K, V        y = W_Oᵀ · concat(heads) + b_O
//
// Source: Vaswani et al. 2017, section 3.2.2.

#include "kernels/mask.hpp"
#include "layers/forward_context.hpp"
#include "layers/position_wise.hpp"

#include <array>

namespace tfx {

/// Throws Error(bad_data) where the heads do not divide the width.
void require_heads(std::size_t heads, std::size_t width);

template <class Real>
struct MultiHeadAttention {
  std::array<Linear<Real>, 4> linears; ///< W_Q, W_K, W_V, W_O: d_model → d_model each

  MultiHeadAttention() = default;
  explicit MultiHeadAttention(std::size_t d_model, LinearBias bias = LinearBias::yes) {
    linears.fill(Linear<Real>(d_model, d_model, bias));
  }

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    for (std::size_t i = 0; i < first_of(layers...).linears.size(); ++i)
      each_parameter(visit, join_names(prefix, "linears." + std::to_string(i)), layers.linears[i]...);
  }
};

struct AttentionConfig {
  std::size_t heads = 1;
  Mask mask = Mask::none;
};

/// Sequence s of the queries attends to sequence s of the keys, but never to its padding.
template <class Real>
struct AttentionInputs {
  Tokens<Real> queries, keys;
  AttentionConfig config;
};

/// What backward needs of a forward pass, d_model × tokens each.
template <class Real>
struct AttentionSaved {
  arma::Mat<Real> Q, K, V, concat;
};

/// → d_model × (tokens of the queries). Reports Q, K, V (h, n, d_k), scores and weights (h, n_q, n_k),
/// output; dropout on the weights. Throws Error(bad_data) where the heads do not divide the width or the
/// batches differ.
template <class Real>
arma::Mat<Real> forward(const MultiHeadAttention<Real>& layer, const AttentionInputs<Real>& inputs,
                        const ForwardContext<Real>& context, AttentionSaved<Real>* saved = nullptr);

/// The gradients of both inputs; self-attention, whose inputs are one, adds them.
template <class Real>
struct AttentionInputGradients {
  arma::Mat<Real> queries, keys;
};

/// Backward: adds to the gradients of the four linear layers. `context` as in forward, so that the same
/// dropout is drawn.
template <class Real>
AttentionInputGradients<Real> backward(const Trainable<MultiHeadAttention<Real>>& attention,
                                       const AttentionSaved<Real>& saved, const AttentionInputs<Real>& inputs,
                                       const arma::Mat<Real>& dy, const ForwardContext<Real>& context);

} // namespace tfx
