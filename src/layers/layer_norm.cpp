#include "layers/layer_norm.hpp"

#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"

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

template <class Real>
arma::Mat<Real> backward(const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, NormRule rule) {
  arma::Mat<Real> dx = unset<Real>(x.n_rows, x.n_cols), normalized = unset<Real>(x.n_rows, x.n_cols);
  parallel_for(x.n_cols, [&](Slice slice) {
    const auto slab = [&](auto& matrix) { return view(matrix).columns(slice.begin, slice.size()); };
    layer_norm_backward<Real>(slab(dx), slab(normalized), slab(dy), slab(x), norm.layer.a_2.memptr(), rule);
  });
  add_row_sums<Real>(norm.gradient.a_2.memptr(), view(dy), view(normalized));
  add_row_sums<Real>(norm.gradient.b_2.memptr(), view(dy));
  return dx;
}

template arma::Mat<float> backward(const Trainable<LayerNorm<float>>&, const arma::Mat<float>&,
                                   const arma::Mat<float>&, NormRule);
template arma::Mat<double> backward(const Trainable<LayerNorm<double>>&, const arma::Mat<double>&,
                                    const arma::Mat<double>&, NormRule);
template arma::Mat<float> forward(const LayerNorm<float>&, const arma::Mat<float>&, NormRule);
template arma::Mat<double> forward(const LayerNorm<double>&, const arma::Mat<double>&, NormRule);

} // namespace tfx
