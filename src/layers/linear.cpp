#include "layers/linear.hpp"

#include "core/error.hpp"
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

} // namespace tfx
