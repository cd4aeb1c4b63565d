#pragma once
// One layer of the decoder: causal self-attention, attention to the encoder's output, feed-forward.

#include "layers/encoder_layer.hpp"

namespace tfx {

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
