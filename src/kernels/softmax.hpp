#pragma once
// Softmax and its logarithm, a column each; the columns are independent.
//
//   softmax(x)ᵢ     = exp(xᵢ − m) / Σ exp(xⱼ − m)      m = max xⱼ; max and Σ over what may be seen
//   log_softmax(x)ᵢ = xᵢ − m − log Σ exp(xⱼ − m)
//
// Sums are taken in double. A cell that may not be seen becomes 0; a column that sees nothing (or only −∞)
// becomes 0. A NaN or +∞ that may be seen makes its whole column NaN.

#include "core/view.hpp"
#include "kernels/mask.hpp"

namespace tfx {

/// In place: scores, keys × queries, become weights.
template <class Real>
void softmax(MatrixView<Real> x, const AttentionMask& visible = {});

/// Backward, in place: dy, the gradient of the weights, becomes that of the scores. Weights sum to 1, so that
/// what raises one lowers the others:
///   dxᵢ = wᵢ·(dyᵢ − Σ wⱼ·dyⱼ)
/// Where a weight is 0, as a hidden one is, so is the gradient, whatever stands in dy.
template <class Real>
void softmax_backward(MatrixView<Real> dy, ConstMatrixView<Real> weights);

/// y = log_softmax(x). y may be x.
template <class Real>
void log_softmax(MatrixView<Real> y, ConstMatrixView<Real> x);

} // namespace tfx
