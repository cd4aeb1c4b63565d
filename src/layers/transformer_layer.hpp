#pragma once
// One layer of the encoder (self-attention, then feed-forward) and one of the decoder (causal self-attention,
// attention to the encoder's output, feed-forward), and the frame around each of their parts: a residual, a
// norm before or after it, dropout. Pre-norm (The Annotated Transformer) is x + drop(f(norm(x))), post-norm
// (the paper) is norm(x + drop(f(x))).

#include "layers/forward_context.hpp"
#include "layers/multi_head_attention.hpp"
#include "layers/position_wise.hpp"

#include <array>
#include <functional>

namespace tfx {

struct NormStyle {
  Norm rule = Norm::annotated;
  NormPlacement placement = NormPlacement::pre_norm;
};

template <class Real>
struct Sublayer {
  LayerNorm<Real> norm;

  Sublayer() = default;
  explicit Sublayer(std::size_t d_model) : norm(d_model) {}

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

/// What a layer does besides its parameters.
struct LayerStyle {
  std::size_t heads = 8;
  NormStyle norm = {};
  Activation activation = Activation::relu;
};

template <class Real>
struct EncoderLayer {
  MultiHeadAttention<Real> self_attn;
  FeedForward<Real> feed_forward;
  std::array<Sublayer<Real>, 2> sublayer;

  EncoderLayer() = default;
  EncoderLayer(std::size_t d_model, std::size_t d_ff) : self_attn(d_model), feed_forward(d_model, d_ff) {
    sublayer.fill(Sublayer<Real>(d_model));
  }

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    each_parameter(visit, join_names(prefix, "self_attn"), layers.self_attn...);
    each_parameter(visit, join_names(prefix, "feed_forward"), layers.feed_forward...);
    for (std::size_t i = 0; i < first_of(layers...).sublayer.size(); ++i)
      each_parameter(visit, join_names(prefix, "sublayer." + std::to_string(i)), layers.sublayer[i]...);
  }
};

/// What backward needs of a forward pass.
template <class Real>
struct EncoderLayerSaved {
  AttentionSaved<Real> self_attn;
  FeedForwardSaved<Real> feed_forward;
  std::array<SublayerSaved<Real>, 2> sublayer;
};

/// x becomes the layer's output. Padding is computed as a query, never seen as a key.
template <class Real>
void apply(const ResidualStream<Real>& x, const EncoderLayer<Real>& layer, const LayerStyle& style,
           const ForwardContext<Real>& context, EncoderLayerSaved<Real>* saved = nullptr);

/// d, the gradient of the output, becomes that of x; adds to the gradients of the parameters.
template <class Real>
void apply_backward(const ResidualStream<Real>& d, const Trainable<EncoderLayer<Real>>& encoder_layer,
                    const EncoderLayerSaved<Real>& saved, const LayerStyle& style,
                    const ForwardContext<Real>& context);

template <class Real>
struct DecoderLayer {
  MultiHeadAttention<Real> self_attn, src_attn;
  FeedForward<Real> feed_forward;
  std::array<Sublayer<Real>, 3> sublayer;

  DecoderLayer() = default;
  DecoderLayer(std::size_t d_model, std::size_t d_ff)
      : self_attn(d_model), src_attn(d_model), feed_forward(d_model, d_ff) {
    sublayer.fill(Sublayer<Real>(d_model));
  }

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    each_parameter(visit, join_names(prefix, "self_attn"), layers.self_attn...);
    each_parameter(visit, join_names(prefix, "src_attn"), layers.src_attn...);
    each_parameter(visit, join_names(prefix, "feed_forward"), layers.feed_forward...);
    for (std::size_t i = 0; i < first_of(layers...).sublayer.size(); ++i)
      each_parameter(visit, join_names(prefix, "sublayer." + std::to_string(i)), layers.sublayer[i]...);
  }
};

/// What backward needs of a forward pass.
template <class Real>
struct DecoderLayerSaved {
  AttentionSaved<Real> self_attn, src_attn;
  FeedForwardSaved<Real> feed_forward;
  std::array<SublayerSaved<Real>, 3> sublayer;
};

/// x, tokens of the target, becomes the layer's output. `memory` is the encoder's output.
template <class Real>
void apply(const ResidualStream<Real>& x, const DecoderLayer<Real>& layer, const Tokens<Real>& memory,
           const LayerStyle& style, const ForwardContext<Real>& context,
           DecoderLayerSaved<Real>* saved = nullptr);

/// The encoder's output and its gradient, to which every layer of the decoder adds.
template <class Real>
struct MemoryGradient {
  Tokens<Real> memory;
  arma::Mat<Real>& gradient;
};

/// d, the gradient of the output, becomes that of x; adds to the gradients of memory and parameters.
template <class Real>
void apply_backward(const ResidualStream<Real>& d, const Trainable<DecoderLayer<Real>>& decoder_layer,
                    const DecoderLayerSaved<Real>& saved, const MemoryGradient<Real>& memory,
                    const LayerStyle& style, const ForwardContext<Real>& context);

} // namespace tfx
