#pragma once
// One layer of the encoder: self-attention, then feed-forward, each in a sublayer.

#include "layers/feed_forward.hpp"
#include "layers/multi_head_attention.hpp"
#include "layers/sublayer.hpp"

#include <array>

namespace tfx {

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

} // namespace tfx
