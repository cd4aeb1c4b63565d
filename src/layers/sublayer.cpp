#include "layers/sublayer.hpp"

#include "kernels/elementwise.hpp"

namespace tfx {

namespace {

template <class Real>
arma::Mat<Real> normed(const arma::Mat<Real>& x, const Sublayer<Real>& layer, NormRule rule,
                       const Sequences& sequences, const Pass<Real>& pass) {
  arma::Mat<Real> y = forward(layer.norm, x, rule);
  report(pass, "norm", y, sequences);
  return y;
}

} // namespace

template <class Real>
void apply(arma::Mat<Real>& x, const Sublayer<Real>& layer, const Function<Real>& function,
           const NormStyle& style, const Sequences& sequences, const Pass<Real>& pass) {
  const bool first = style.placement == NormPlacement::first;
  arma::Mat<Real> y = first ? function(normed(x, layer, style.rule, sequences, pass)) : function(x);
  drop(pass, y);
  add(view(x), view(y));
  if (!first) x = normed(x, layer, style.rule, sequences, pass);
  report(pass, "output", x, sequences);
}

template void apply(arma::Mat<float>&, const Sublayer<float>&, const Function<float>&, const NormStyle&,
                    const Sequences&, const Pass<float>&);
template void apply(arma::Mat<double>&, const Sublayer<double>&, const Function<double>&, const NormStyle&,
                    const Sequences&, const Pass<double>&);

} // namespace tfx
