#pragma once
// Several attentions side by side, each on its share of the width. Queries and keys may come from different
// sequences: one attends to itself (self-attention) or to the encoder's output (cross-attention).
//
//   Q = W_Qᵀ·x_q + b_Q   K = W_Kᵀ·x_k + b_K   V = W_Vᵀ·x_k + b_V
//   head i: rows i·d_k … (i + 1)·d_k − 1 of Q, K, V        y = W_Oᵀ · concat(heads) + b_O
//
// Source: Vaswani et al. 2017, section 3.2.2.

#include "kernels/mask.hpp"
#include "layers/linear.hpp"
#include "layers/pass.hpp"

#include <array>

namespace tfx {

template <class Real>
struct MultiHeadAttention {
  std::array<Linear<Real>, 4> linears; ///< W_Q, W_K, W_V, W_O: d_model → d_model each

  MultiHeadAttention() = default;
  explicit MultiHeadAttention(std::size_t d_model, Bias bias = Bias::yes) {
    linears.fill(Linear<Real>(d_model, d_model, bias));
  }

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    for (std::size_t i = 0; i < first_of(layers...).linears.size(); ++i)
      each_parameter(visit, join_names(prefix, "linears." + std::to_string(i)), layers.linears[i]...);
  }
};

/// How a query sees.
struct Heads {
  std::size_t count = 1;
  Mask mask = Mask::none;
};

/// Who asks whom: sequence s of the queries attends to sequence s of the keys, whose padding nobody sees.
template <class Real>
struct Attending {
  Tokens<Real> queries, keys;
  Heads heads;
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
arma::Mat<Real> forward(const MultiHeadAttention<Real>& layer, const Attending<Real>& attending,
                        const Pass<Real>& pass, AttentionSaved<Real>* saved = nullptr);

/// The gradients of what asks and of what is asked; in self-attention they are added.
template <class Real>
struct AttendingGradients {
  arma::Mat<Real> queries, keys;
};

/// Backward: adds to the gradients of the four linear layers. `pass` as in forward: the same dropout is
/// drawn.
template <class Real>
AttendingGradients<Real> backward(const Trainable<MultiHeadAttention<Real>>& attention,
                                  const AttentionSaved<Real>& saved, const Attending<Real>& attending,
                                  const arma::Mat<Real>& dy, const Pass<Real>& pass);

} // namespace tfx
