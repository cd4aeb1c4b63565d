#include "layers/sublayer.hpp"

#include "kernels/elementwise.hpp"

namespace tfx {

namespace {

template <class Real>
arma::Mat<Real> normed(const Tokens<Real>& x, const Sublayer<Real>& layer, NormRule rule,
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

} // namespace tfx
