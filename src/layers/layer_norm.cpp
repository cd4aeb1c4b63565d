#include "layers/layer_norm.hpp"

#include "core/parallel.hpp"

namespace tfx {

template <class Real>
arma::Mat<Real> forward(const LayerNorm<Real>& layer, const arma::Mat<Real>& x, NormRule rule) {
  arma::Mat<Real> y = unset<Real>(x.n_rows, x.n_cols);
  const GainAndShift<Real> parameters{layer.a_2.memptr(), layer.b_2.memptr()};
  parallel_for(x.n_cols, [&](Slice slice) {
    layer_norm(view(y).columns(slice.begin, slice.size()), view(x).columns(slice.begin, slice.size()),
               parameters, rule);
  });
  return y;
}

template arma::Mat<float> forward(const LayerNorm<float>&, const arma::Mat<float>&, NormRule);
template arma::Mat<double> forward(const LayerNorm<double>&, const arma::Mat<double>&, NormRule);

} // namespace tfx
