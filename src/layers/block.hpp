#pragma once
// A layer of an encoder (self-attention, then feed-forward) or of a decoder (causal self-attention, attention
// to the encoder's output where there is one, feed-forward), and the frame around each of their parts: a
// residual, a norm before or after it, dropout. Pre-norm (The Annotated Transformer) is x + drop(f(norm(x))),
// post-norm (the paper) is norm(x + drop(f(x))). A GPT's layer is the encoder's with a causal mask.

#include "layers/forward_context.hpp"
#include "layers/layer_spec.hpp"
#include "layers/multi_head_attention.hpp"
#include "layers/position_wise.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tfx {

template <class Real>
struct Sublayer {
  Normalization<Real> norm;

  Sublayer() = default;
  explicit Sublayer(const LayerSpec& spec) : norm(spec.d_model, spec.norm) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    each_parameter(visit, join_names(prefix, "norm"), layers.norm...);
  }
};

/// What stands inside: attention or feed-forward.
template <class Real>
using Function = std::function<arma::Mat<Real>(const arma::Mat<Real>&)>;

/// Its backward: from its input and the gradient of its output to that of its input.
template <class Real>
using FunctionBackward =
    std::function<arma::Mat<Real>(const arma::Mat<Real>& input, const arma::Mat<Real>& dy)>;

/// What backward needs of a forward pass, d_model × tokens each.
template <class Real>
struct SublayerSaved {
  arma::Mat<Real> norm_input, function_input;
};

/// x becomes the sublayer's output. Reports `norm` (what the norm gives, wherever it stands) and `output`.
template <class Real>
void apply(const ResidualStream<Real>& x, const Sublayer<Real>& layer, const Function<Real>& function,
           const NormStyle& style, const ForwardContext<Real>& context, SublayerSaved<Real>* saved = nullptr);

/// d, the gradient of the output, becomes that of x: the residual passes it on unchanged, and what flows back
/// through the function is added.
///   pre-norm: dx = dy + norm′(f′(drop(dy)))     post-norm: dz = norm′(dy), dx = dz + f′(drop(dz))
template <class Real>
void apply_backward(arma::Mat<Real>& d, const Trainable<Sublayer<Real>>& sublayer,
                    const SublayerSaved<Real>& saved, const FunctionBackward<Real>& function,
                    const NormStyle& style, const ForwardContext<Real>& context);

/// Whether a block attends to an encoder's output between its self-attention and its feed-forward.
enum class CrossAttention { no, yes };

template <class Real>
struct Block {
  MultiHeadAttention<Real> self_attn;
  std::optional<MultiHeadAttention<Real>> src_attn; ///< the cross-attention
  std::optional<FeedForward<Real>> feed_forward;
  std::vector<Sublayer<Real>> sublayer; ///< one around each of them, in their order

  Block() = default;
  explicit Block(const LayerSpec& spec, CrossAttention cross = CrossAttention::no) : self_attn(spec) {
    if (cross == CrossAttention::yes) src_attn.emplace(spec);
    if (spec.d_ff > 0) feed_forward.emplace(spec);
    sublayer.assign(1u + src_attn.has_value() + feed_forward.has_value(), Sublayer<Real>(spec));
  }

  template <class Visit, class... Blocks>
  static void visit(Visit& visit, const std::string& prefix, Blocks&... blocks) {
    each_parameter(visit, join_names(prefix, "self_attn"), blocks.self_attn...);
    if (first_of(blocks...).src_attn)
      each_parameter(visit, join_names(prefix, "src_attn"), *blocks.src_attn...);
    if (first_of(blocks...).feed_forward)
      each_parameter(visit, join_names(prefix, "feed_forward"), *blocks.feed_forward...);
    for (std::size_t i = 0; i < first_of(blocks...).sublayer.size(); ++i)
      each_parameter(visit, join_names(prefix, "sublayer." + std::to_string(i)), blocks.sublayer[i]...);
  }
};

/// What a block runs with, besides its parameters.
template <class Real>
struct BlockInputs {
  const LayerSpec& spec;
  Mask mask = Mask::none;                    ///< of the self-attention
  std::optional<Tokens<Real>> memory = {};   ///< the encoder's output, where the block attends to one
  const RotaryTable<Real>* rotary = nullptr; ///< of the self-attention; nullptr: no rotary positions
};

/// What backward needs of a forward pass.
template <class Real>
struct BlockSaved {
  AttentionSaved<Real> self_attn, src_attn;
  FeedForwardSaved<Real> feed_forward;
  std::vector<SublayerSaved<Real>> sublayer;
};

/// x becomes the block's output. Padding is computed as a query, never seen as a key.
template <class Real>
void apply(const ResidualStream<Real>& x, const Block<Real>& block, const BlockInputs<Real>& inputs,
           const ForwardContext<Real>& context, BlockSaved<Real>* saved = nullptr);

/// d, the gradient of the output, becomes that of x; adds to the gradients of the parameters and, where there
/// is a memory, to `d_memory`, its gradient.
template <class Real>
void apply_backward(const ResidualStream<Real>& d, const Trainable<Block<Real>>& block,
                    const BlockSaved<Real>& saved, const BlockInputs<Real>& inputs, arma::Mat<Real>* d_memory,
                    const ForwardContext<Real>& context);

} // namespace tfx
