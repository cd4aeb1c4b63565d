#pragma once
// The frame around attention and feed-forward: a residual, a norm before or after it, dropout.
//
//   first (The Annotated Transformer): x + drop(f(norm(x)))
//   last  (the paper):                 norm(x + drop(f(x)))

#include "layers/layer_norm.hpp"
#include "layers/pass.hpp"

#include <functional>

namespace tfx {

/// Where the norm stands: pre-norm or post-norm.
enum class NormPlacement { first, last };

struct NormStyle {
  NormRule rule = NormRule::annotated;
  NormPlacement placement = NormPlacement::first;
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
void apply(const Stream<Real>& x, const Sublayer<Real>& layer, const Function<Real>& function,
           const NormStyle& style, const Pass<Real>& pass, SublayerSaved<Real>* saved = nullptr);

/// d, the gradient of the output, becomes that of x. The residual lets it through as it is; beside it comes
/// what flows back through the function:
///   first: dx = dy + norm′(f′(drop(dy)))        last: dz = norm′(dy), dx = dz + f′(drop(dz))
template <class Real>
void apply_backward(arma::Mat<Real>& d, const Trainable<Sublayer<Real>>& sublayer,
                    const SublayerSaved<Real>& saved, const FunctionBackward<Real>& function,
                    const NormStyle& style, const Pass<Real>& pass);

} // namespace tfx
