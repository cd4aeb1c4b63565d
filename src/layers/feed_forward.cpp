#include "layers/feed_forward.hpp"

#include "core/parallel.hpp"

namespace tfx {

template <class Real>
arma::Mat<Real> forward(const FeedForward<Real>& layer, const arma::Mat<Real>& x, const Sequences& sequences,
                        Activation activation, const Pass<Real>& pass) {
  arma::Mat<Real> hidden = forward(layer.w_1, x);
  parallel_for(hidden.n_cols,
               [&](Slice slice) { activate(view(hidden).columns(slice.begin, slice.size()), activation); });
  report(pass, "hidden", hidden, sequences);
  drop(pass, hidden);
  const arma::Mat<Real> y = forward(layer.w_2, hidden);
  report(pass, "output", y, sequences);
  return y;
}

template arma::Mat<float> forward(const FeedForward<float>&, const arma::Mat<float>&, const Sequences&,
                                  Activation, const Pass<float>&);
template arma::Mat<double> forward(const FeedForward<double>&, const arma::Mat<double>&, const Sequences&,
                                   Activation, const Pass<double>&);

} // namespace tfx
