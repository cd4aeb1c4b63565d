#include "layers/decoder_layer.hpp"

#include "kernels/elementwise.hpp"

namespace tfx {

template <class Real>
void apply(const ResidualStream<Real>& x, const DecoderLayer<Real>& layer, const Tokens<Real>& memory,
           const LayerStyle& style, const ForwardContext<Real>& context, DecoderLayerSaved<Real>* saved) {
  using Mat = arma::Mat<Real>;
  const Function<Real> attend = [&](const Mat& y) {
    const Tokens<Real> tokens{y, x.sequences};
    return forward(layer.self_attn, {tokens, tokens, {style.heads, Mask::causal}},
                   context.inside("self_attn"), saved ? &saved->self_attn : nullptr);
  };
  const Function<Real> look_at_source = [&](const Mat& y) {
    return forward(layer.src_attn, {{y, x.sequences}, memory, {style.heads, Mask::none}},
                   context.inside("src_attn"), saved ? &saved->src_attn : nullptr);
  };
  const Function<Real> feed = [&](const Mat& y) {
    return forward(layer.feed_forward, {y, x.sequences}, style.activation, context.inside("feed_forward"),
                   saved ? &saved->feed_forward : nullptr);
  };
  const std::array<const Function<Real>*, 3> functions{&attend, &look_at_source, &feed};
  for (std::size_t i = 0; i < functions.size(); ++i)
    apply(x, layer.sublayer[i], *functions[i], style.norm, context.inside("sublayer." + std::to_string(i)),
          saved ? &saved->sublayer[i] : nullptr);
}

template <class Real>
void apply_backward(const ResidualStream<Real>& d, const Trainable<DecoderLayer<Real>>& decoder_layer,
                    const DecoderLayerSaved<Real>& saved, const MemoryGradient<Real>& memory,
                    const LayerStyle& style, const ForwardContext<Real>& context) {
  using Mat = arma::Mat<Real>;
  const auto& layer = decoder_layer.layer;
  auto& gradient = decoder_layer.gradient;
  const FunctionBackward<Real> attend = [&](const Mat& y, const Mat& dy) {
    const Tokens<Real> tokens{y, d.sequences};
    auto [d_queries, d_keys] =
        backward<Real>({layer.self_attn, gradient.self_attn}, saved.self_attn,
                       {tokens, tokens, {style.heads, Mask::causal}}, dy, context.inside("self_attn"));
    add(view(d_queries), view(d_keys));
    return std::move(d_queries);
  };
  const FunctionBackward<Real> look_at_source = [&](const Mat& y, const Mat& dy) {
    auto [d_queries, d_keys] = backward<Real>({layer.src_attn, gradient.src_attn}, saved.src_attn,
                                              {{y, d.sequences}, memory.memory, {style.heads, Mask::none}},
                                              dy, context.inside("src_attn"));
    add(view(memory.gradient), view(d_keys));
    return std::move(d_queries);
  };
  const FunctionBackward<Real> feed = [&](const Mat& y, const Mat& dy) {
    return backward<Real>({layer.feed_forward, gradient.feed_forward}, saved.feed_forward, y, dy,
                          style.activation, context.inside("feed_forward"));
  };
  const std::array<const FunctionBackward<Real>*, 3> functions{&attend, &look_at_source, &feed};
  for (std::size_t i = functions.size(); i-- > 0;)
    apply_backward<Real>(d.values, {layer.sublayer[i], gradient.sublayer[i]}, saved.sublayer[i],
                         *functions[i], style.norm, context.inside("sublayer." + std::to_string(i)));
}

template void apply(const ResidualStream<float>&, const DecoderLayer<float>&, const Tokens<float>&,
                    const LayerStyle&, const ForwardContext<float>&, DecoderLayerSaved<float>*);
template void apply(const ResidualStream<double>&, const DecoderLayer<double>&, const Tokens<double>&,
                    const LayerStyle&, const ForwardContext<double>&, DecoderLayerSaved<double>*);
template void apply_backward(const ResidualStream<float>&, const Trainable<DecoderLayer<float>>&,
                             const DecoderLayerSaved<float>&, const MemoryGradient<float>&, const LayerStyle&,
                             const ForwardContext<float>&);
template void apply_backward(const ResidualStream<double>&, const Trainable<DecoderLayer<double>>&,
                             const DecoderLayerSaved<double>&, const MemoryGradient<double>&,
                             const LayerStyle&, const ForwardContext<double>&);

} // namespace tfx
