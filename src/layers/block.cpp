#include "layers/block.hpp"

#include "kernels/elementwise.hpp"

namespace tfx {

namespace {

template <class Real>
arma::Mat<Real> normed(const Tokens<Real>& x, const Sublayer<Real>& layer, const NormRule& rule,
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
  arma::Mat<Real> input = pre_norm ? normed<Real>({x, sequences}, layer, style.kernel_rule(), context) : x;
  arma::Mat<Real> y = function(input);
  if (saved) saved->function_input = std::move(input);
  add_dropped(context, y, x, y);
  std::swap(x, y);
  if (pre_norm) {
    if (saved) saved->norm_input = std::move(y);
  } else {
    y = normed<Real>({x, sequences}, layer, style.kernel_rule(), context);
    std::swap(x, y);
    if (saved) saved->norm_input = std::move(y);
  }
  report(context, "output", x, sequences);
}

template <class Real>
void apply_backward(arma::Mat<Real>& d, const Trainable<Sublayer<Real>>& sublayer,
                    const SublayerSaved<Real>& saved, const FunctionBackward<Real>& function,
                    const NormStyle& style, const ForwardContext<Real>& context) {
  const Trainable<Normalization<Real>> norm{sublayer.layer.norm, sublayer.gradient.norm};
  const bool pre_norm = style.placement == NormPlacement::pre_norm;
  if (!pre_norm) d = backward(norm, saved.norm_input, d, style.kernel_rule());
  arma::Mat<Real> dropped;
  if (drops(context)) {
    dropped = unset<Real>(d.n_rows, d.n_cols);
    drop(context, dropped, d);
  }
  const arma::Mat<Real> d_input = function(saved.function_input, drops(context) ? dropped : d);
  if (pre_norm)
    add_backward(d, norm, saved.norm_input, d_input, style.kernel_rule());
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
void apply(const ResidualStream<Real>& x, const Block<Real>& block, const BlockInputs<Real>& inputs,
           const ForwardContext<Real>& context, BlockSaved<Real>* saved) {
  using Mat = arma::Mat<Real>;
  const LayerSpec& spec = inputs.spec;
  if (saved) saved->sublayer.resize(block.sublayer.size());
  std::size_t next = 0;
  const auto around = [&](const Function<Real>& function) {
    const std::size_t i = next++;
    apply(x, block.sublayer[i], function, spec.norm, context.inside("sublayer." + std::to_string(i)),
          saved ? &saved->sublayer[i] : nullptr);
  };
  around([&](const Mat& y) {
    const Tokens<Real> tokens{y, x.sequences};
    return forward(block.self_attn, {tokens, tokens, attention_config(spec, inputs.mask), inputs.rotary},
                   context.inside("self_attn"), saved ? &saved->self_attn : nullptr);
  });
  if (block.src_attn)
    around([&](const Mat& y) {
      return forward(*block.src_attn, {{y, x.sequences}, *inputs.memory, attention_config(spec)},
                     context.inside("src_attn"), saved ? &saved->src_attn : nullptr);
    });
  if (block.feed_forward)
    around([&](const Mat& y) {
      return forward(*block.feed_forward, {y, x.sequences}, spec.activation, context.inside("feed_forward"),
                     saved ? &saved->feed_forward : nullptr);
    });
}

template <class Real>
void apply_backward(const ResidualStream<Real>& d, const Trainable<Block<Real>>& trainable,
                    const BlockSaved<Real>& saved, const BlockInputs<Real>& inputs, arma::Mat<Real>* d_memory,
                    const ForwardContext<Real>& context) {
  using Mat = arma::Mat<Real>;
  const Block<Real>& block = trainable.layer; // names, as clang 14 captures no structured binding
  Block<Real>& gradient = trainable.gradient;
  const LayerSpec& spec = inputs.spec;
  std::size_t left = block.sublayer.size();
  const auto around = [&](const FunctionBackward<Real>& function) {
    const std::size_t i = --left;
    apply_backward<Real>(d.values, {block.sublayer[i], gradient.sublayer[i]}, saved.sublayer[i], function,
                         spec.norm, context.inside("sublayer." + std::to_string(i)));
  };
  if (block.feed_forward)
    around([&](const Mat& y, const Mat& dy) {
      return backward<Real>({*block.feed_forward, *gradient.feed_forward}, saved.feed_forward, y, dy,
                            spec.activation, context.inside("feed_forward"));
    });
  if (block.src_attn)
    around([&](const Mat& y, const Mat& dy) {
      auto [d_queries, d_keys] = backward<Real>({*block.src_attn, *gradient.src_attn}, saved.src_attn,
                                                {{y, d.sequences}, *inputs.memory, attention_config(spec)},
                                                dy, context.inside("src_attn"));
      add(view(*d_memory), view(d_keys));
      return std::move(d_queries);
    });
  around([&](const Mat& y, const Mat& dy) {
    const Tokens<Real> tokens{y, d.sequences};
    auto [d_queries, d_keys] =
        backward<Real>({block.self_attn, gradient.self_attn}, saved.self_attn,
                       {tokens, tokens, attention_config(spec, inputs.mask), inputs.rotary}, dy,
                       context.inside("self_attn"));
    add(view(d_queries), view(d_keys));
    return std::move(d_queries);
  });
}

template void apply(const ResidualStream<float>&, const Block<float>&, const BlockInputs<float>&,
                    const ForwardContext<float>&, BlockSaved<float>*);
template void apply(const ResidualStream<double>&, const Block<double>&, const BlockInputs<double>&,
                    const ForwardContext<double>&, BlockSaved<double>*);
template void apply_backward(const ResidualStream<float>&, const Trainable<Block<float>>&,
                             const BlockSaved<float>&, const BlockInputs<float>&, arma::Mat<float>*,
                             const ForwardContext<float>&);
template void apply_backward(const ResidualStream<double>&, const Trainable<Block<double>>&,
                             const BlockSaved<double>&, const BlockInputs<double>&, arma::Mat<double>*,
                             const ForwardContext<double>&);

} // namespace tfx
