#pragma once
// Layer normalisation of every column (a token): its mean becomes 0, its spread 1, then gain and shift.
//
//   annotated: y = a·(x − mean) / (s + 1e-6) + b          s² = Σ(x − mean)² / (n − 1)
//   standard:  y = a·(x − mean) / √(v + 1e-5) + b         v  = Σ(x − mean)² / n
//
// The first is The Annotated Transformer's, the second torch.nn.LayerNorm's. Statistics of floats are taken
// in lanes of float, the mean corrected by the mean of the deviations from it. A token of one number has no
// sample deviation: `annotated` gives NaN there, as PyTorch does.

#include "core/view.hpp"

namespace tfx {

enum class NormRule { annotated, standard };

template <class Real>
struct GainAndShift {
  const Real* a = nullptr;
  const Real* b = nullptr; ///< as many numbers as a token has
};

/// y may be x.
template <class Real>
void layer_norm(MatrixView<Real> y, ConstMatrixView<Real> x, const GainAndShift<Real>& parameters,
                NormRule rule);

/// What a norm's parameters get; as many numbers as a token has.
template <class Real>
struct GainAndShiftGradient {
  Real* a = nullptr;
  Real* b = nullptr;
};

/// Backward, on top of what stands in dx: the gradient that a residual lets past the norm. With c = x − mean,
/// D the divisor and g = a·dy:
///   annotated: dx += (g − mean(g))/D − c·Σ(g·c)/(D²·s·(n − 1))
///   standard:  dx += (g − mean(g))/D − c·Σ(g·c)/(D³·n)
///   d a += Σ dy·c/D      d b += Σ dy       over the tokens
/// A token without spread has s = 0: its second term is 0.
template <class Real>
void layer_norm_backward(MatrixView<Real> dx, const GainAndShiftGradient<Real>& d_parameters,
                         ConstMatrixView<Real> dy, ConstMatrixView<Real> x,
                         const std::type_identity_t<Real>* a, NormRule rule);

} // namespace tfx
