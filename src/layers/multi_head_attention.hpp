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

/// Vectors of tokens, and the sequences they belong to.
template <class Real>
struct Tokens {
  const arma::Mat<Real>& values; ///< d × tokens
  const Sequences& sequences;
};

/// How a query sees.
struct Heads {
  std::size_t count = 1;
  Mask mask = Mask::none;
};

/// → d_model × (tokens of `queries`). Sequence s of the queries attends to sequence s of the keys, whose
/// padding nobody sees. Reports Q, K, V (h, n, d_k), scores and weights (h, n_q, n_k), output; dropout on the
/// weights. Throws Error(bad_data) where the heads do not divide the width or the batches differ.
template <class Real>
arma::Mat<Real> forward(const MultiHeadAttention<Real>& layer, const Tokens<Real>& queries,
                        const Tokens<Real>& keys, const Heads& heads, const Pass<Real>& pass);

} // namespace tfx
