#pragma once
// Normalisation of every column (a token): its mean becomes 0 and its deviation 1, or, by `rms`, its mean
// square 1; then gamma scales and beta shifts it.
//
//   annotated: y = γ·(x − mean) / (s + ε) + β          s² = Σ(x − mean)² / (n − 1)
//   layer:     y = γ·(x − mean) / √(v + ε) + β         v  = Σ(x − mean)² / n
//   rms:       y = γ·x / √(q + ε) + β                  q  = Σ x² / n
//
// The first is The Annotated Transformer's, the second torch.nn.LayerNorm's, the third Zhang & Sennrich's
// (2019), which has no β as a rule. Statistics of floats are taken in lanes of float, the mean corrected by
// the mean of the deviations from it. A token of one number has no sample deviation: `annotated` gives NaN
// there, as PyTorch does.

#include "core/architecture.hpp"
#include "core/view.hpp"

namespace tfx {

/// Which formula, and its ε.
struct NormRule {
  Norm norm = Norm::annotated;
  double epsilon = usual_epsilon(norm);
};

/// As many numbers each as a token has.
template <class Real>
struct NormParameters {
  const Real* gamma = nullptr; ///< nullptr: 1
  const Real* beta = nullptr;  ///< nullptr: 0
};

/// y and x of one shape, d × tokens; y may be x.
template <class Real>
void layer_norm(MatrixView<Real> y, ConstMatrixView<Real> x, const NormParameters<Real>& parameters,
                const NormRule& rule);

/// Gradients of the parameters, which backward adds to, as many numbers each as a token has; nullptr where
/// nobody wants them.
template <class Real>
struct NormGradients {
  Real* gamma = nullptr;
  Real* beta = nullptr;
};

/// Backward. dx is added to: it already holds the gradient that the residual carries past the norm. With
/// c = x − mean, D the divisor and g = γ·dy:
///   annotated: dx += (g − mean(g))/D − c·Σ(g·c)/(D²·s·(n − 1))
///   layer:     dx += (g − mean(g))/D − c·Σ(g·c)/(D³·n)
///   rms:       dx += g/D − x·Σ(g·x)/(D³·n)          c = x in dγ too
///   dγ += Σ dy·c/D      dβ += Σ dy         over the tokens
/// A token of equal numbers has s = 0: its second term is 0.
template <class Real>
void layer_norm_backward(MatrixView<Real> dx, const NormGradients<Real>& gradients, ConstMatrixView<Real> dy,
                         ConstMatrixView<Real> x, const std::type_identity_t<Real>* gamma,
                         const NormRule& rule);

} // namespace tfx
