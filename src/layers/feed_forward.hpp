#pragma once
// Two linear layers with a non-linearity between, on every token by itself.
//
//   y = W₂ᵀ · act(W₁ᵀ·x + b₁) + b₂

#include "kernels/activation.hpp"
#include "layers/forward_context.hpp"
#include "layers/linear.hpp"

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

/// What backward needs of a forward pass, d_ff × n each.
template <class Real>
struct FeedForwardSaved {
  arma::Mat<Real> before; ///< W₁ᵀ·x + b₁
  arma::Mat<Real> hidden; ///< after activation and dropout
};

/// x d_model × n → d_model × n. Reports `hidden` (n, d_ff) and `output`; dropout on the hidden cells.
template <class Real>
arma::Mat<Real> forward(const FeedForward<Real>& layer, const Tokens<Real>& x, Activation activation,
                        const ForwardContext<Real>& context, FeedForwardSaved<Real>* saved = nullptr);

/// Backward: adds to the gradients of both linear layers; → dx. `context` as in forward, so that the same
/// dropout is drawn.
template <class Real>
arma::Mat<Real> backward(const Trainable<FeedForward<Real>>& feed_forward,
                         const FeedForwardSaved<Real>& saved, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, Activation activation,
                         const ForwardContext<Real>& context);

} // namespace tfx
