#pragma once
// The frame around attention and feed-forward: a residual, a norm before or after it, dropout.
//
//   pre-norm  (The Annotated Transformer): x + drop(f(norm(x)))
//   post-norm (the paper):                 norm(x + drop(f(x)))

#include "layers/forward_context.hpp"
#include "layers/layer_norm.hpp"

#include <functional>

namespace tfx {

/// Whether the norm stands before the function or after the residual: `--norm-first` and `--norm-last`.
enum class NormPlacement { pre_norm, post_norm };

struct NormStyle {
  NormRule rule = NormRule::annotated;
  NormPlacement placement = NormPlacement::pre_norm;
};

template <class Real>
struct Sublayer {
  LayerNorm<Real> norm;

  Sublayer() = default;
  explicit Sublayer(std::size_t d_model) : norm(d_model) {}

  template <class Visit, class... Layers>
  static void visit(Visit& visit, const std::string& prefix, Layers&... layers) {
    each_parameter(visit, join_names(prefix, "norm"), layers.norm...);
  }
};

/// What stands inside: attention or feed-forward.
template <class Real>
using Function = std::function<arma::Mat<Real>(const arma::Mat<Real>&)>;

/// Its backward: from its input and the gradient of its output to that of its input.
template <class Real>
using FunctionBackward =
    std::function<arma::Mat<Real>(const arma::Mat<Real>& input, const arma::Mat<Real>& dy)>;

/// What backward needs of a forward pass, d_model × tokens each.
template <class Real>
struct SublayerSaved {
  arma::Mat<Real> norm_input, function_input;
};

/// x becomes the sublayer's output. Reports `norm` (what the norm gives, wherever it stands) and `output`.
template <class Real>
void apply(const ResidualStream<Real>& x, const Sublayer<Real>& layer, const Function<Real>& function,
           const NormStyle& style, const ForwardContext<Real>& context, SublayerSaved<Real>* saved = nullptr);

/// d, the gradient of the output, becomes that of x: the residual passes it on unchanged, and what flows back
/// through the function is added.
///   pre-norm: dx = dy + norm′(f′(drop(dy)))     post-norm: dz = norm′(dy), dx = dz + f′(drop(dz))
template <class Real>
void apply_backward(arma::Mat<Real>& d, const Trainable<Sublayer<Real>>& sublayer,
                    const SublayerSaved<Real>& saved, const FunctionBackward<Real>& function,
                    const NormStyle& style, const ForwardContext<Real>& context);

} // namespace tfx
