#include "layers/sublayer.hpp"

#include "kernels/elementwise.hpp"

namespace tfx {

namespace {

template <class Real>
arma::Mat<Real> normed(const Tokens<Real>& x, const Sublayer<Real>& layer, NormRule rule,
                       const Pass<Real>& pass) {
  arma::Mat<Real> y = forward(layer.norm, x.values, rule);
  report(pass, "norm", y, x.sequences);
  return y;
}

} // namespace

template <class Real>
void apply(const Stream<Real>& stream, const Sublayer<Real>& layer, const Function<Real>& function,
           const NormStyle& style, const Pass<Real>& pass, SublayerSaved<Real>* saved) {
  auto& [x, sequences] = stream;
  const bool first = style.placement == NormPlacement::first;
  arma::Mat<Real> input = first ? normed<Real>({x, sequences}, layer, style.rule, pass) : x;
  arma::Mat<Real> y = function(input);
  if (saved) saved->function_input = std::move(input);
  add_dropped(pass, y, x, y);
  std::swap(x, y);
  if (first) {
    if (saved) saved->norm_input = std::move(y);
  } else {
    y = normed<Real>({x, sequences}, layer, style.rule, pass);
    std::swap(x, y);
    if (saved) saved->norm_input = std::move(y);
  }
  report(pass, "output", x, sequences);
}

template <class Real>
void apply_backward(arma::Mat<Real>& d, const Trainable<Sublayer<Real>>& sublayer,
                    const SublayerSaved<Real>& saved, const FunctionBackward<Real>& function,
                    const NormStyle& style, const Pass<Real>& pass) {
  const Trainable<LayerNorm<Real>> norm{sublayer.layer.norm, sublayer.gradient.norm};
  const bool first = style.placement == NormPlacement::first;
  if (!first) d = backward(norm, saved.norm_input, d, style.rule);
  arma::Mat<Real> dropped;
  if (drops(pass)) {
    dropped = unset<Real>(d.n_rows, d.n_cols);
    drop(pass, dropped, d);
  }
  const arma::Mat<Real> d_input = function(saved.function_input, drops(pass) ? dropped : d);
  if (first)
    add_backward(d, norm, saved.norm_input, d_input, style.rule);
  else
    add(view(d), view(d_input));
}

template void apply(const Stream<float>&, const Sublayer<float>&, const Function<float>&, const NormStyle&,
                    const Pass<float>&, SublayerSaved<float>*);
template void apply(const Stream<double>&, const Sublayer<double>&, const Function<double>&, const NormStyle&,
                    const Pass<double>&, SublayerSaved<double>*);
template void apply_backward(arma::Mat<float>&, const Trainable<Sublayer<float>>&,
                             const SublayerSaved<float>&, const FunctionBackward<float>&, const NormStyle&,
                             const Pass<float>&);
template void apply_backward(arma::Mat<double>&, const Trainable<Sublayer<double>>&,
                             const SublayerSaved<double>&, const FunctionBackward<double>&, const NormStyle&,
                             const Pass<double>&);

} // namespace tfx
