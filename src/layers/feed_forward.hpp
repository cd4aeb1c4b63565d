#pragma once
// Two linear layers with a non-linearity between, on every token by itself.
//
//   y = W₂ᵀ · act(W₁ᵀ·x + b₁) + b₂

#include "kernels/activation.hpp"
#include "layers/linear.hpp"
#include "layers/pass.hpp"

namespace tfx {

template <class Real>
struct FeedForward {
  Linear<Real> w_1, w_2; ///< d_model → d_ff, d_ff → d_model

  FeedForward() = default;
  FeedForward(std::size_t d_model, std::size_t d_ff) : w_1(d_model, d_ff), w_2(d_ff, d_model) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    each_parameter(visit, join_names(prefix, "w_1"), layers.w_1...);
    each_parameter(visit, join_names(prefix, "w_2"), layers.w_2...);
  }
};

/// x d_model × n → d_model × n. Reports `hidden` (n, d_ff) and `output`; dropout on the hidden cells.
template <class Real>
arma::Mat<Real> forward(const FeedForward<Real>& layer, const arma::Mat<Real>& x, const Sequences& sequences,
                        Activation activation, const Pass<Real>& pass);

} // namespace tfx
