#pragma once
// The layers that act on every token by itself: linear, y = Wᵀ·x + b, as torch.nn.Linear; layer
// normalisation, whose formulas kernels/layer_norm.hpp has; and the feed-forward, two linear layers with a
// non-linearity between, y = W₂ᵀ · act(W₁ᵀ·x + b₁) + b₂.

#include "kernels/activation.hpp"
#include "kernels/layer_norm.hpp"
#include "kernels/narrow.hpp"
#include "layers/forward_context.hpp"
#include "layers/parameters.hpp"

#include <array>
#include <memory>

namespace tfx {

/// Whether a linear layer adds b.
enum class LinearBias { yes, no };

template <class Real>
struct Linear {
  Matrix<Real> weight; ///< d_in × d_out; (d_out, d_in) in files
  Vector<Real> bias;   ///< d_out, or empty
  /// The weight in fewer bits, which single tokens read; of a model that is not trained on
  /// (model/weights.hpp).
  std::shared_ptr<const NarrowMatrix> narrow;

  Linear() = default;
  Linear(std::size_t d_in, std::size_t d_out, LinearBias has_bias = LinearBias::yes)
      : weight(d_in, d_out, arma::fill::zeros),
        bias(has_bias == LinearBias::yes ? d_out : 0, arma::fill::zeros) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    visit(join_names(prefix, "weight"), layers.weight...);
    if (!first_of(layers...).bias.is_empty()) visit(join_names(prefix, "bias"), layers.bias...);
  }
};

/// x d_in × n → d_out × n. Throws Error(bad_data) with both shapes where they do not fit.
template <class Real>
arma::Mat<Real> forward(const Linear<Real>& layer, const arma::Mat<Real>& x);

/// The same for several layers that read the same x, as Q, K and V do: all in one go.
template <class Real, std::size_t n>
std::array<arma::Mat<Real>, n> forward(const std::array<const Linear<Real>*, n>& layers,
                                       const arma::Mat<Real>& x);

/// Backward: d weight += x·dyᵀ, d bias += Σ dy over the tokens; → dx = W·dy.
template <class Real>
arma::Mat<Real> backward(const Trainable<Linear<Real>>& linear, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy);

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
arma::Mat<Real> forward(const LayerNorm<Real>& layer, const arma::Mat<Real>& x, Norm rule);

/// Backward: dγ += Σ dy ⊙ normalized x, dβ += Σ dy over the tokens. dx is added to: it already holds the
/// gradient that the residual carries past the norm.
template <class Real>
void add_backward(arma::Mat<Real>& dx, const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                  const arma::Mat<Real>& dy, Norm rule);

/// The same; → dx.
template <class Real>
arma::Mat<Real> backward(const Trainable<LayerNorm<Real>>& norm, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, Norm rule);

// Two linear layers with a non-linearity between, on every token by itself.
//
//   y = W₂ᵀ · act(W₁ᵀ·x + b₁) + b₂

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
