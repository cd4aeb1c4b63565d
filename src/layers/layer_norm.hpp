#pragma once
// Layer normalisation of every token; kernels/layer_norm.hpp has the formulas.

#include "kernels/layer_norm.hpp"
#include "layers/parameters.hpp"
#include "layers/storage.hpp"

namespace tfx {

template <class Real>
struct LayerNorm {
  Vector<Real> gamma, beta; ///< d each; a_2 and b_2 in The Annotated Transformer's state_dict

  LayerNorm() = default;
  explicit LayerNorm(std::size_t d) : gamma(d, arma::fill::ones), beta(d, arma::fill::zeros) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    visit(join_names(prefix, "a_2"), layers.gamma...);
    visit(join_names(prefix, "b_2"), layers.beta...);
  }
};

/// x d × n → d × n.
template <class Real>
arma::Mat<Real> forward(const LayerNorm<Real>& layer, const arma::Mat<Real>& x, NormRule rule);

/// Backward: dγ += Σ dy ⊙ normalized x, dβ += Σ dy over the tokens. dx is added to: it already holds the
/// gradient that the residual carries past the norm.
template <class Real>
void add_backward(arma::Mat<Real>& dx, const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                  const arma::Mat<Real>& dy, NormRule rule);

/// The same; → dx.
template <class Real>
arma::Mat<Real> backward(const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, NormRule rule);

} // namespace tfx
