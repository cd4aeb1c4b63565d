#include "layers/encoder_layer.hpp"

#include "kernels/elementwise.hpp"

namespace tfx {

template <class Real>
void apply(const ResidualStream<Real>& x, const EncoderLayer<Real>& layer, const LayerStyle& style,
           const ForwardContext<Real>& context, EncoderLayerSaved<Real>* saved) {
  using Mat = arma::Mat<Real>;
  const Function<Real> attend = [&](const Mat& y) {
    const Tokens<Real> tokens{y, x.sequences};
    return forward(layer.self_attn, {tokens, tokens, {style.heads, Mask::none}}, context.inside("self_attn"),
                   saved ? &saved->self_attn : nullptr);
  };
  const Function<Real> feed = [&](const Mat& y) {
    return forward(layer.feed_forward, {y, x.sequences}, style.activation, context.inside("feed_forward"),
                   saved ? &saved->feed_forward : nullptr);
  };
  apply(x, layer.sublayer[0], attend, style.norm, context.inside("sublayer.0"),
        saved ? &saved->sublayer[0] : nullptr);
  apply(x, layer.sublayer[1], feed, style.norm, context.inside("sublayer.1"),
        saved ? &saved->sublayer[1] : nullptr);
}

template <class Real>
void apply_backward(const ResidualStream<Real>& d, const Trainable<EncoderLayer<Real>>& encoder_layer,
                    const EncoderLayerSaved<Real>& saved, const LayerStyle& style,
                    const ForwardContext<Real>& context) {
  using Mat = arma::Mat<Real>;
  const auto& layer = encoder_layer.layer;
  auto& gradient = encoder_layer.gradient;
  const FunctionBackward<Real> attend = [&](const Mat& y, const Mat& dy) {
    const Tokens<Real> tokens{y, d.sequences};
    auto [d_queries, d_keys] =
        backward<Real>({layer.self_attn, gradient.self_attn}, saved.self_attn,
                       {tokens, tokens, {style.heads, Mask::none}}, dy, context.inside("self_attn"));
    add(view(d_queries), view(d_keys));
    return std::move(d_queries);
  };
  const FunctionBackward<Real> feed = [&](const Mat& y, const Mat& dy) {
    return backward<Real>({layer.feed_forward, gradient.feed_forward}, saved.feed_forward, y, dy,
                          style.activation, context.inside("feed_forward"));
  };
  apply_backward<Real>(d.values, {layer.sublayer[1], gradient.sublayer[1]}, saved.sublayer[1], feed,
                       style.norm, context.inside("sublayer.1"));
  apply_backward<Real>(d.values, {layer.sublayer[0], gradient.sublayer[0]}, saved.sublayer[0], attend,
                       style.norm, context.inside("sublayer.0"));
}

template void apply(const ResidualStream<float>&, const EncoderLayer<float>&, const LayerStyle&,
                    const ForwardContext<float>&, EncoderLayerSaved<float>*);
template void apply(const ResidualStream<double>&, const EncoderLayer<double>&, const LayerStyle&,
                    const ForwardContext<double>&, EncoderLayerSaved<double>*);
template void apply_backward(const ResidualStream<float>&, const Trainable<EncoderLayer<float>>&,
                             const EncoderLayerSaved<float>&, const LayerStyle&,
                             const ForwardContext<float>&);
template void apply_backward(const ResidualStream<double>&, const Trainable<EncoderLayer<double>>&,
                             const EncoderLayerSaved<double>&, const LayerStyle&,
                             const ForwardContext<double>&);

} // namespace tfx
