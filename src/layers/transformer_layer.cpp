#include "layers/transformer_layer.hpp"

#include "kernels/elementwise.hpp"

namespace tfx {

namespace {

template <class Real>
arma::Mat<Real> normed(const Tokens<Real>& x, const Sublayer<Real>& layer, Norm rule,
                       const ForwardContext<Real>& context) {
  arma::Mat<Real> y = forward(layer.norm, x.values, rule);
  report(context, "norm", y, x.sequences);
  return y;
}

} // namespace

template <class Real>
void apply(const ResidualStream<Real>& stream, const Sublayer<Real>& layer, const Function<Real>& function,
           const NormStyle& style, const ForwardContext<Real>& context, SublayerSaved<Real>* saved) {
  auto& [x, sequences] = stream;
  const bool pre_norm = style.placement == NormPlacement::pre_norm;
  arma::Mat<Real> input = pre_norm ? normed<Real>({x, sequences}, layer, style.rule, context) : x;
  arma::Mat<Real> y = function(input);
  if (saved) saved->function_input = std::move(input);
  add_dropped(context, y, x, y);
  std::swap(x, y);
  if (pre_norm) {
    if (saved) saved->norm_input = std::move(y);
  } else {
    y = normed<Real>({x, sequences}, layer, style.rule, context);
    std::swap(x, y);
    if (saved) saved->norm_input = std::move(y);
  }
  report(context, "output", x, sequences);
}

template <class Real>
void apply_backward(arma::Mat<Real>& d, const Trainable<Sublayer<Real>>& sublayer,
                    const SublayerSaved<Real>& saved, const FunctionBackward<Real>& function,
                    const NormStyle& style, const ForwardContext<Real>& context) {
  const Trainable<LayerNorm<Real>> norm{sublayer.layer.norm, sublayer.gradient.norm};
  const bool pre_norm = style.placement == NormPlacement::pre_norm;
  if (!pre_norm) d = backward(norm, saved.norm_input, d, style.rule);
  arma::Mat<Real> dropped;
  if (drops(context)) {
    dropped = unset<Real>(d.n_rows, d.n_cols);
    drop(context, dropped, d);
  }
  const arma::Mat<Real> d_input = function(saved.function_input, drops(context) ? dropped : d);
  if (pre_norm)
    add_backward(d, norm, saved.norm_input, d_input, style.rule);
  else
    add(view(d), view(d_input));
}

template void apply(const ResidualStream<float>&, const Sublayer<float>&, const Function<float>&,
                    const NormStyle&, const ForwardContext<float>&, SublayerSaved<float>*);
template void apply(const ResidualStream<double>&, const Sublayer<double>&, const Function<double>&,
                    const NormStyle&, const ForwardContext<double>&, SublayerSaved<double>*);
template void apply_backward(arma::Mat<float>&, const Trainable<Sublayer<float>>&,
                             const SublayerSaved<float>&, const FunctionBackward<float>&, const NormStyle&,
                             const ForwardContext<float>&);
template void apply_backward(arma::Mat<double>&, const Trainable<Sublayer<double>>&,
                             const SublayerSaved<double>&, const FunctionBackward<double>&, const NormStyle&,
                             const ForwardContext<double>&);

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
