#pragma once
// The layers that act on every token by itself: linear, y = Wᵀ·x + b, as torch.nn.Linear; layer
// normalisation, whose formulas kernels/layer_norm.hpp has; and the feed-forward, two linear layers with a
// non-linearity between, y = W₂ᵀ · act(W₁ᵀ·x + b₁) + b₂.

#include "kernels/activation.hpp"
#include "kernels/narrow.hpp"
#include "layers/forward_context.hpp"
#include "layers/layer_spec.hpp"
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

/// γ and β, a_2 and b_2 in The Annotated Transformer's state_dict: d each, or empty where there is none.
template <class Real>
struct Normalization {
  Vector<Real> gamma, beta;

  Normalization() = default;
  explicit Normalization(std::size_t d, const NormStyle& style = {})
      : gamma(style.gain ? d : 0, arma::fill::ones), beta(style.shift ? d : 0, arma::fill::zeros) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    if (!first_of(layers...).gamma.is_empty()) visit(join_names(prefix, "a_2"), layers.gamma...);
    if (!first_of(layers...).beta.is_empty()) visit(join_names(prefix, "b_2"), layers.beta...);
  }
};

/// x d × n → d × n.
template <class Real>
arma::Mat<Real> forward(const Normalization<Real>& layer, const arma::Mat<Real>& x, const NormRule& rule);

/// Backward: dγ += Σ dy ⊙ normalized x, dβ += Σ dy over the tokens. dx is added to: it already holds the
/// gradient that the residual carries past the norm.
template <class Real>
void add_backward(arma::Mat<Real>& dx, const Trainable<Normalization<Real>>& norm, const arma::Mat<Real>& x,
                  const arma::Mat<Real>& dy, const NormRule& rule);

/// The same; → dx.
template <class Real>
arma::Mat<Real> backward(const Trainable<Normalization<Real>>& norm, const arma::Mat<Real>& x,
                         const arma::Mat<Real>& dy, const NormRule& rule);

// Two linear layers with a non-linearity between, on every token by itself; a third, whose output multiplies
// the activation's, where the layer is gated.
//
//   y = W₂ᵀ · act(W₁ᵀ·x + b₁) + b₂          gated: y = W₂ᵀ · (act(W₁ᵀ·x + b₁) ⊙ (W₃ᵀ·x + b₃)) + b₂

template <class Real>
struct FeedForward {
  Linear<Real> w_1, w_2; ///< d_model → d_ff, d_ff → d_model
  Linear<Real> w_3;      ///< as w_1; empty where the layer has no gate

  FeedForward() = default;
  explicit FeedForward(const LayerSpec& spec) {
    const LinearBias bias = spec.biases.feed_forward ? LinearBias::yes : LinearBias::no;
    w_1 = Linear<Real>(spec.d_model, spec.d_ff, bias), w_2 = Linear<Real>(spec.d_ff, spec.d_model, bias);
    if (spec.gated) w_3 = w_1;
  }
  bool is_gated() const { return !w_3.weight.is_empty(); }

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    each_parameter(visit, join_names(prefix, "w_1"), layers.w_1...);
    each_parameter(visit, join_names(prefix, "w_2"), layers.w_2...);
    if (first_of(layers...).is_gated()) each_parameter(visit, join_names(prefix, "w_3"), layers.w_3...);
  }
};

/// What backward needs of a forward pass, d_ff × n each.
template <class Real>
struct FeedForwardSaved {
  arma::Mat<Real> before; ///< W₁ᵀ·x + b₁
  arma::Mat<Real> factor; ///< W₃ᵀ·x + b₃, where there is a gate
  arma::Mat<Real> hidden; ///< after activation, gate and dropout
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
