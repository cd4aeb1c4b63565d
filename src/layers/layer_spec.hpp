#pragma once
// What a layer is made of and does: the choices that published models differ in, each by its own.

#include "core/architecture.hpp"
#include "kernels/layer_norm.hpp"

#include <optional>

namespace tfx {

struct NormStyle {
  Norm rule = Norm::annotated;
  NormPlacement placement = NormPlacement::pre_norm;
  std::optional<double> epsilon = {}; ///< none: the rule's usual one
  bool gain = true, shift = true;     ///< whether it has γ, and β

  NormRule kernel_rule() const { return {rule, epsilon.value_or(usual_epsilon(rule))}; }
  bool operator==(const NormStyle&) const = default;
};

/// The defaults are make_model's of The Annotated Transformer.
struct LayerSpec {
  std::size_t d_model = 512;
  std::size_t d_ff = 2048; ///< 0: attention only, without a feed-forward and its norm
  std::size_t heads = 8;
  NormStyle norm = {};
  Activation activation = Activation::relu;
  bool gated = false;         ///< feed-forward: act(W_1·x) ⊙ W_3·x instead of act(W_1·x)
  std::size_t kv_heads = 0;   ///< heads of keys and values, each read by a group of queries; 0: one a head
  std::size_t head_width = 0; ///< numbers of a head; 0: d_model / heads
  bool qk_norm = false;       ///< the layer's norm on each head of Q and K, with gains of their own
  std::size_t window = 0; ///< causal: a token sees itself and the window − 1 before it; 0: all before it
  Biases biases = {};
  Positions positions = Positions::sinusoidal; ///< rotary ones turn Q and K of the self-attention
  RotaryPairs pairs = RotaryPairs::halves;
  double rotary_base = usual_rotary_base;

  std::size_t key_heads() const { return kv_heads ? kv_heads : heads; }
  std::size_t width_of_head() const { return head_width ? head_width : d_model / heads; }
  bool operator==(const LayerSpec&) const = default;
};

} // namespace tfx
