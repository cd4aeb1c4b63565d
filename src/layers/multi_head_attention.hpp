#pragma once
// Several attentions side by side, each on its share of the width. Queries come from one batch of sequences,
// keys and values from the same one (self-attention) or from the encoder's output (cross-attention).
//
//   Q = W_Qᵀ·x_q + b_Q   K = W_Kᵀ·x_k + b_K   V = W_Vᵀ·x_k + b_V
//   head i: rows i·d_k … (i + 1)·d_k − 1 of Q, K, V        y = W_Oᵀ · concat(heads) + b_O
//
// Where there are fewer heads of keys and values, each is read by a group of neighbouring heads of queries;
// where Q and K are normalised, every head is by itself, and rotary positions turn it afterwards. Source:
// Vaswani et al. 2017, section 3.2.2; Ainslie et al. 2023 (groups); Su et al. 2021 (rotary); Henry et al.
// 2020 (norms of Q and K).

#include "kernels/mask.hpp"
#include "kernels/rotary.hpp"
#include "layers/forward_context.hpp"
#include "layers/layer_spec.hpp"
#include "layers/position_wise.hpp"
#include "layers/tokens.hpp"

#include <array>

namespace tfx {

/// Throws Error(bad_data) where the heads do not divide the width.
void require_heads(std::size_t heads, std::size_t width);

template <class Real>
struct MultiHeadAttention {
  std::array<Linear<Real>, 4> linears; ///< W_Q, W_K, W_V: d_model → heads · d_k; W_O back
  Normalization<Real> q_norm, k_norm;  ///< of d_k numbers; empty where the spec has none

  MultiHeadAttention() = default;
  explicit MultiHeadAttention(std::size_t d_model, LinearBias bias = LinearBias::yes) {
    linears.fill(Linear<Real>(d_model, d_model, bias));
  }
  explicit MultiHeadAttention(const LayerSpec& spec);

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    for (std::size_t i = 0; i < first_of(layers...).linears.size(); ++i)
      each_parameter(visit, join_names(prefix, "linears." + std::to_string(i)), layers.linears[i]...);
    each_parameter(visit, join_names(prefix, "q_norm"), layers.q_norm...);
    each_parameter(visit, join_names(prefix, "k_norm"), layers.k_norm...);
  }
};

struct AttentionConfig {
  std::size_t heads = 1;
  Mask mask = Mask::none;
  std::size_t kv_heads = 0; ///< 0: as many as heads
  std::size_t window = 0;   ///< causal: keys that a query sees at most; 0: all
  std::optional<NormRule> qk_norm = {};

  std::size_t key_heads() const { return kv_heads ? kv_heads : heads; }
  /// The head of keys and values that head h of the queries reads.
  std::size_t key_head_of(std::size_t h) const { return h / (heads / key_heads()); }
};

/// That of a layer; by default of a cross-attention.
AttentionConfig attention_config(const LayerSpec& spec, Mask mask = Mask::none);

/// The angles of rotary positions, computed once for all layers.
template <class Real>
struct RotaryTable {
  arma::Mat<Real> cosines, sines; ///< d_k/2 × positions, from places.begin on
  RotaryPairs pairs = RotaryPairs::halves;
  Places places;

  RotaryAngles<Real> angles() const { return {view(cosines), view(sines), pairs}; }
};

/// None where the layers have no rotary positions.
template <class Real>
std::optional<RotaryTable<Real>> rotary_table(const LayerSpec& spec, const Places& places);

/// Sequence s of the queries attends to sequence s of the keys, but never to its padding.
template <class Real>
struct AttentionInputs {
  Tokens<Real> queries, keys;
  AttentionConfig config;
  const RotaryTable<Real>* rotary = nullptr; ///< self-attention: how Q and K turn; nullptr: they do not
};

/// A projection becomes what its heads read: each is normalised where the config says so, then turned.
template <class Real>
struct HeadsOf {
  const Normalization<Real>& norm;
  std::size_t heads;
};
template <class Real>
void prepare(arma::Mat<Real>& projected, const Sequences& sequences, const HeadsOf<Real>& of,
             const AttentionConfig& config, const RotaryTable<Real>* rotary);

/// What backward needs of a forward pass: Q, K, V as the heads read them, and Q and K before their norms,
/// empty where there are none.
template <class Real>
struct AttentionSaved {
  arma::Mat<Real> Q, K, V, concat, Q_before, K_before;
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
