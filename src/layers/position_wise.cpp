#include "layers/position_wise.hpp"

#include "core/error.hpp"
#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/gemm.hpp"

namespace tfx {

template <class Real, std::size_t n>
std::array<arma::Mat<Real>, n> forward(const std::array<const Linear<Real>*, n>& layers,
                                       const arma::Mat<Real>& x) {
  std::array<arma::Mat<Real>, n> outputs;
  std::array<ProductWithBias<Real>, n> products;
  for (std::size_t i = 0; i < n; ++i) {
    const auto& [weight, bias, narrow] = *layers[i];
    if (x.n_rows != weight.n_rows)
      throw Error(ErrorKind::bad_data,
                  said("a linear layer takes tokens of {width} numbers: its weight is {weight}, "
                       "its input {input}",
                       {{"width", weight.n_rows},
                        {"weight", to_string(torch_shape(weight))},
                        {"input", to_string(torch_shape(x))}}),
                  said("the input's last axis must be the weight's"));
    outputs[i] = unset<Real>(weight.n_cols, x.n_cols);
    products[i] = {view(outputs[i]), transposed(view(weight)), bias.is_empty() ? nullptr : bias.memptr(),
                   narrow.get()};
  }
  gemm_with_bias(std::span<const ProductWithBias<Real>>(products), plain(view(x)));
  return outputs;
}

template <class Real>
arma::Mat<Real> forward(const Linear<Real>& layer, const arma::Mat<Real>& x) {
  return std::move(forward(std::array{&layer}, x)[0]);
}

template <class Real>
arma::Mat<Real> backward(const Trainable<Linear<Real>>& linear, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy) {
  const auto& [layer, gradient] = linear;
  gemm(view(gradient.weight), plain(view(x)), transposed(view(dy)), 1, 1);
  if (!layer.bias.is_empty()) add_row_sums<Real>(gradient.bias.memptr(), view(dy));
  arma::Mat<Real> dx = unset<Real>(x.n_rows, x.n_cols);
  gemm(view(dx), plain(view(layer.weight)), plain(view(dy)));
  return dx;
}

template arma::Mat<float> backward(const Trainable<Linear<float>>&, const arma::Mat<float>&,
                                   const arma::Mat<float>&);
template arma::Mat<double> backward(const Trainable<Linear<double>>&, const arma::Mat<double>&,
                                    const arma::Mat<double>&);
template arma::Mat<float> forward(const Linear<float>&, const arma::Mat<float>&);
template std::array<arma::Mat<float>, 3> forward(const std::array<const Linear<float>*, 3>&,
                                                 const arma::Mat<float>&);
template std::array<arma::Mat<double>, 3> forward(const std::array<const Linear<double>*, 3>&,
                                                  const arma::Mat<double>&);
template arma::Mat<double> forward(const Linear<double>&, const arma::Mat<double>&);

namespace {

/// nullptr of a vector that is not there.
template <class Real>
const Real* numbers_of(const arma::Col<Real>& vector) {
  return vector.is_empty() ? nullptr : vector.memptr();
}

} // namespace

template <class Real>
arma::Mat<Real> forward(const Normalization<Real>& layer, const arma::Mat<Real>& x, const NormRule& rule) {
  arma::Mat<Real> y = unset<Real>(x.n_rows, x.n_cols);
  const NormParameters<Real> parameters{numbers_of(layer.gamma), numbers_of(layer.beta)};
  parallel_for(x.n_cols, [&](Slice slice) {
    layer_norm(view(y).columns(slice.begin, slice.size()), view(x).columns(slice.begin, slice.size()),
               parameters, rule);
  });
  return y;
}

template <class Real>
void add_backward(arma::Mat<Real>& dx, const Trainable<Normalization<Real>>& norm, const arma::Mat<Real>& x,
                  const arma::Mat<Real>& dy, const NormRule& rule) {
  constexpr std::size_t at_once = 64; // tokens whose gradients of the parameters are added up in Real
  const std::size_t d = x.n_rows, blocks = (x.n_cols + at_once - 1) / at_once;
  const bool gain = !norm.layer.gamma.is_empty(), shift = !norm.layer.beta.is_empty();
  arma::Mat<Real> sums(2 * d, blocks, arma::fill::zeros); // dγ, below it dβ: the same for any threads
  parallel_for(blocks, [&](Slice slice) {
    for (std::size_t block = slice.begin; block < slice.end; ++block) {
      const std::size_t first = block * at_once, count = std::min<std::size_t>(at_once, x.n_cols - first);
      const auto slab = [&](auto& matrix) { return view(matrix).columns(first, count); };
      layer_norm_backward<Real>(
          slab(dx), {gain ? sums.colptr(block) : nullptr, shift ? sums.colptr(block) + d : nullptr}, slab(dy),
          slab(x), numbers_of(norm.layer.gamma), rule);
    }
  });
  if (gain) add_row_sums<Real>(norm.gradient.gamma.memptr(), view(sums).block(0, d, 0, blocks));
  if (shift) add_row_sums<Real>(norm.gradient.beta.memptr(), view(sums).block(d, d, 0, blocks));
}

template <class Real>
arma::Mat<Real> backward(const Trainable<Normalization<Real>>& norm, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, const NormRule& rule) {
  arma::Mat<Real> dx(arma::size(x), arma::fill::zeros);
  add_backward(dx, norm, x, dy, rule);
  return dx;
}

template void add_backward(arma::Mat<float>&, const Trainable<Normalization<float>>&, const arma::Mat<float>&,
                           const arma::Mat<float>&, const NormRule&);
template void add_backward(arma::Mat<double>&, const Trainable<Normalization<double>>&,
                           const arma::Mat<double>&, const arma::Mat<double>&, const NormRule&);
template arma::Mat<float> backward(const Trainable<Normalization<float>>&, const arma::Mat<float>&,
                                   const arma::Mat<float>&, const NormRule&);
template arma::Mat<double> backward(const Trainable<Normalization<double>>&, const arma::Mat<double>&,
                                    const arma::Mat<double>&, const NormRule&);
template arma::Mat<float> forward(const Normalization<float>&, const arma::Mat<float>&, const NormRule&);
template arma::Mat<double> forward(const Normalization<double>&, const arma::Mat<double>&, const NormRule&);

template <class Real>
arma::Mat<Real> forward(const FeedForward<Real>& layer, const Tokens<Real>& x, Activation activation,
                        const ForwardContext<Real>& context, FeedForwardSaved<Real>* saved) {
  arma::Mat<Real> before = forward(layer.w_1, x.values);
  arma::Mat<Real> factor = layer.is_gated() ? forward(layer.w_3, x.values) : arma::Mat<Real>();
  arma::Mat<Real> hidden = saved ? unset<Real>(before.n_rows, before.n_cols) : std::move(before);
  const arma::Mat<Real>& input = saved ? before : hidden;
  parallel_for(hidden.n_cols, [&](Slice slice) {
    const auto slab = [&](auto& matrix) { return view(matrix).columns(slice.begin, slice.size()); };
    if (layer.is_gated())
      gate<Real>(slab(hidden), slab(input), slab(factor), activation);
    else
      activate<Real>(slab(hidden), slab(input), activation);
  });
  if (saved) saved->before = std::move(before), saved->factor = std::move(factor);
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
  const FeedForward<Real>& layer = feed_forward.layer; // a name, as clang 14 captures no structured binding
  FeedForward<Real>& gradient = feed_forward.gradient;
  arma::Mat<Real> d_hidden = backward<Real>({layer.w_2, gradient.w_2}, saved.hidden, dy);
  drop(context, d_hidden);
  arma::Mat<Real> d_factor = unset<Real>(saved.factor.n_rows, saved.factor.n_cols);
  parallel_for(d_hidden.n_cols, [&](Slice slice) {
    const auto slab = [&](auto& matrix) { return view(matrix).columns(slice.begin, slice.size()); };
    if (layer.is_gated())
      gate_backward<Real>(slab(d_hidden), slab(d_factor), slab(d_hidden), slab(saved.before),
                          slab(saved.factor), activation);
    else
      activate_backward<Real>(slab(d_hidden), slab(saved.before), activation);
  });
  arma::Mat<Real> dx = backward<Real>({layer.w_1, gradient.w_1}, x, d_hidden);
  if (layer.is_gated()) dx += backward<Real>({layer.w_3, gradient.w_3}, x, d_factor);
  return dx;
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
