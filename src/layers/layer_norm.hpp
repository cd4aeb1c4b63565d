#pragma once
// Normalisation of every token, with the parameter names of The Annotated Transformer.

#include "kernels/layer_norm.hpp"
#include "layers/parameters.hpp"
#include "layers/storage.hpp"

namespace tfx {

template <class Real>
struct LayerNorm {
  Vector<Real> a_2, b_2; ///< gain and shift, d each

  LayerNorm() = default;
  explicit LayerNorm(std::size_t d) : a_2(d, arma::fill::ones), b_2(d, arma::fill::zeros) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    visit(join_names(prefix, "a_2"), layers.a_2...);
    visit(join_names(prefix, "b_2"), layers.b_2...);
  }
};

/// x d × n → d × n.
template <class Real>
arma::Mat<Real> forward(const LayerNorm<Real>& layer, const arma::Mat<Real>& x, NormRule rule);

/// Backward: d a_2 += Σ dy ⊙ normalized x, d b_2 += Σ dy over the tokens; dx on top of what stands there, the
/// gradient that a residual lets past the norm.
template <class Real>
void add_backward(arma::Mat<Real>& dx, const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                  const arma::Mat<Real>& dy, NormRule rule);

/// The same; → dx.
template <class Real>
arma::Mat<Real> backward(const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, NormRule rule);

} // namespace tfx
