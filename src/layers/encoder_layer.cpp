#include "layers/encoder_layer.hpp"

#include "kernels/elementwise.hpp"

namespace tfx {

template <class Real>
void apply(const Stream<Real>& x, const EncoderLayer<Real>& layer, const LayerStyle& style,
           const Pass<Real>& pass, EncoderLayerSaved<Real>* saved) {
  using Mat = arma::Mat<Real>;
  const Function<Real> attend = [&](const Mat& y) {
    const Tokens<Real> tokens{y, x.sequences};
    return forward(layer.self_attn, {tokens, tokens, {style.heads, Mask::none}}, pass.inside("self_attn"),
                   saved ? &saved->self_attn : nullptr);
  };
  const Function<Real> feed = [&](const Mat& y) {
    return forward(layer.feed_forward, {y, x.sequences}, style.activation, pass.inside("feed_forward"),
                   saved ? &saved->feed_forward : nullptr);
  };
  apply(x, layer.sublayer[0], attend, style.norm, pass.inside("sublayer.0"),
        saved ? &saved->sublayer[0] : nullptr);
  apply(x, layer.sublayer[1], feed, style.norm, pass.inside("sublayer.1"),
        saved ? &saved->sublayer[1] : nullptr);
}

template <class Real>
void apply_backward(const Stream<Real>& d, const Trainable<EncoderLayer<Real>>& encoder_layer,
                    const EncoderLayerSaved<Real>& saved, const LayerStyle& style, const Pass<Real>& pass) {
  using Mat = arma::Mat<Real>;
  const auto& layer = encoder_layer.layer;
  auto& gradient = encoder_layer.gradient;
  const FunctionBackward<Real> attend = [&](const Mat& y, const Mat& dy) {
    const Tokens<Real> tokens{y, d.sequences};
    auto [d_queries, d_keys] =
        backward<Real>({layer.self_attn, gradient.self_attn}, saved.self_attn,
                       {tokens, tokens, {style.heads, Mask::none}}, dy, pass.inside("self_attn"));
    add(view(d_queries), view(d_keys));
    return std::move(d_queries);
  };
  const FunctionBackward<Real> feed = [&](const Mat& y, const Mat& dy) {
    return backward<Real>({layer.feed_forward, gradient.feed_forward}, saved.feed_forward, y, dy,
                          style.activation, pass.inside("feed_forward"));
  };
  apply_backward<Real>(d.values, {layer.sublayer[1], gradient.sublayer[1]}, saved.sublayer[1], feed,
                       style.norm, pass.inside("sublayer.1"));
  apply_backward<Real>(d.values, {layer.sublayer[0], gradient.sublayer[0]}, saved.sublayer[0], attend,
                       style.norm, pass.inside("sublayer.0"));
}

template void apply(const Stream<float>&, const EncoderLayer<float>&, const LayerStyle&, const Pass<float>&,
                    EncoderLayerSaved<float>*);
template void apply(const Stream<double>&, const EncoderLayer<double>&, const LayerStyle&,
                    const Pass<double>&, EncoderLayerSaved<double>*);
template void apply_backward(const Stream<float>&, const Trainable<EncoderLayer<float>>&,
                             const EncoderLayerSaved<float>&, const LayerStyle&, const Pass<float>&);
template void apply_backward(const Stream<double>&, const Trainable<EncoderLayer<double>>&,
                             const EncoderLayerSaved<double>&, const LayerStyle&, const Pass<double>&);

} // namespace tfx
