#include "layers/feed_forward.hpp"

#include "core/parallel.hpp"

namespace tfx {

template <class Real>
arma::Mat<Real> forward(const FeedForward<Real>& layer, const Tokens<Real>& x, Activation activation,
                        const ForwardContext<Real>& context, FeedForwardSaved<Real>* saved) {
  arma::Mat<Real> before = forward(layer.w_1, x.values);
  arma::Mat<Real> hidden = saved ? unset<Real>(before.n_rows, before.n_cols) : std::move(before);
  const arma::Mat<Real>& input = saved ? before : hidden;
  parallel_for(hidden.n_cols, [&](Slice slice) {
    activate<Real>(view(hidden).columns(slice.begin, slice.size()),
                   view(input).columns(slice.begin, slice.size()), activation);
  });
  if (saved) saved->before = std::move(before);
  report(context, "hidden", hidden, x.sequences);
  drop(context, hidden);
  const arma::Mat<Real> y = forward(layer.w_2, hidden);
  report(context, "output", y, x.sequences);
  if (saved) saved->hidden = std::move(hidden);
  return y;
}

template <class Real>
arma::Mat<Real> backward(const Trainable<FeedForward<Real>>& feed_forward,
                         const FeedForwardSaved<Real>& saved, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, Activation activation,
                         const ForwardContext<Real>& context) {
  const auto& [layer, gradient] = feed_forward;
  arma::Mat<Real> d_hidden = backward<Real>({layer.w_2, gradient.w_2}, saved.hidden, dy);
  drop(context, d_hidden);
  parallel_for(d_hidden.n_cols, [&](Slice slice) {
    activate_backward<Real>(view(d_hidden).columns(slice.begin, slice.size()),
                            view(saved.before).columns(slice.begin, slice.size()), activation);
  });
  return backward<Real>({layer.w_1, gradient.w_1}, x, d_hidden);
}

template arma::Mat<float> forward(const FeedForward<float>&, const Tokens<float>&, Activation,
                                  const ForwardContext<float>&, FeedForwardSaved<float>*);
template arma::Mat<double> forward(const FeedForward<double>&, const Tokens<double>&, Activation,
                                   const ForwardContext<double>&, FeedForwardSaved<double>*);
template arma::Mat<float> backward(const Trainable<FeedForward<float>>&, const FeedForwardSaved<float>&,
                                   const arma::Mat<float>&, const arma::Mat<float>&, Activation,
                                   const ForwardContext<float>&);
template arma::Mat<double> backward(const Trainable<FeedForward<double>>&, const FeedForwardSaved<double>&,
                                    const arma::Mat<double>&, const arma::Mat<double>&, Activation,
                                    const ForwardContext<double>&);

} // namespace tfx
