#include "layers/linear.hpp"

#include "core/error.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/gemm.hpp"

namespace tfx {

template <class Real>
arma::Mat<Real> forward(const Linear<Real>& layer, const arma::Mat<Real>& x) {
  if (x.n_rows != layer.weight.n_rows)
    throw Error(ErrorKind::bad_data,
                "a linear layer takes tokens of " + std::to_string(layer.weight.n_rows) +
                    " numbers: its weight is " + to_string(torch_shape(layer.weight)) + ", its input " +
                    to_string(torch_shape(x)),
                "the input's last axis must be the weight's");
  arma::Mat<Real> y = unset<Real>(layer.weight.n_cols, x.n_cols);
  gemm_with_bias(view(y), transposed(view(layer.weight)), plain(view(x)),
                 layer.bias.is_empty() ? nullptr : layer.bias.memptr());
  return y;
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
template arma::Mat<double> forward(const Linear<double>&, const arma::Mat<double>&);

} // namespace tfx
