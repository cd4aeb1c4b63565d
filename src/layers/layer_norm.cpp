#include "layers/layer_norm.hpp"

#include "core/parallel.hpp"
#include "kernels/elementwise.hpp"

namespace tfx {

template <class Real>
arma::Mat<Real> forward(const LayerNorm<Real>& layer, const arma::Mat<Real>& x, NormRule rule) {
  arma::Mat<Real> y = unset<Real>(x.n_rows, x.n_cols);
  const NormParameters<Real> parameters{layer.gamma.memptr(), layer.beta.memptr()};
  parallel_for(x.n_cols, [&](Slice slice) {
    layer_norm(view(y).columns(slice.begin, slice.size()), view(x).columns(slice.begin, slice.size()),
               parameters, rule);
  });
  return y;
}

template <class Real>
void add_backward(arma::Mat<Real>& dx, const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                  const arma::Mat<Real>& dy, NormRule rule) {
  constexpr std::size_t at_once = 64; // tokens whose gradients of the parameters are added up in Real
  const std::size_t d = x.n_rows, blocks = (x.n_cols + at_once - 1) / at_once;
  arma::Mat<Real> sums(2 * d, blocks, arma::fill::zeros); // dγ, below it dβ: the same for any threads
  parallel_for(blocks, [&](Slice slice) {
    for (std::size_t block = slice.begin; block < slice.end; ++block) {
      const std::size_t first = block * at_once, count = std::min<std::size_t>(at_once, x.n_cols - first);
      const auto slab = [&](auto& matrix) { return view(matrix).columns(first, count); };
      layer_norm_backward<Real>(slab(dx), {sums.colptr(block), sums.colptr(block) + d}, slab(dy), slab(x),
                                norm.layer.gamma.memptr(), rule);
    }
  });
  add_row_sums<Real>(norm.gradient.gamma.memptr(), view(sums).block(0, d, 0, blocks));
  add_row_sums<Real>(norm.gradient.beta.memptr(), view(sums).block(d, d, 0, blocks));
}

template <class Real>
arma::Mat<Real> backward(const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, NormRule rule) {
  arma::Mat<Real> dx(arma::size(x), arma::fill::zeros);
  add_backward(dx, norm, x, dy, rule);
  return dx;
}

template void add_backward(arma::Mat<float>&, const Trainable<LayerNorm<float>>&, const arma::Mat<float>&,
                           const arma::Mat<float>&, NormRule);
template void add_backward(arma::Mat<double>&, const Trainable<LayerNorm<double>>&, const arma::Mat<double>&,
                           const arma::Mat<double>&, NormRule);
template arma::Mat<float> backward(const Trainable<LayerNorm<float>>&, const arma::Mat<float>&,
                                   const arma::Mat<float>&, NormRule);
template arma::Mat<double> backward(const Trainable<LayerNorm<double>>&, const arma::Mat<double>&,
                                    const arma::Mat<double>&, NormRule);
template arma::Mat<float> forward(const LayerNorm<float>&, const arma::Mat<float>&, NormRule);
template arma::Mat<double> forward(const LayerNorm<double>&, const arma::Mat<double>&, NormRule);

} // namespace tfx
