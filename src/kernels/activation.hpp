#pragma once
// The non-linearity between the two products of a feed-forward layer, cell by cell.
//
//   relu(x)      = max(x, 0)
//   gelu(x)      = x·Φ(x) = x/2 · (1 + erf(x/√2))
//   gelu_tanh(x) = x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³)))
//   silu(x)      = x·σ(x) = x / (1 + e^−x)
//
// Source: Hendrycks & Gimpel 2016 (GELU, SiLU); the tanh form is GPT-2's.

#include "core/architecture.hpp"
#include "core/view.hpp"

namespace tfx {

/// y = activation(x), of one shape. y may be x.
template <class Real>
void activate(MatrixView<Real> y, ConstMatrixView<Real> x, Activation activation);

/// Backward, in place: dy becomes dy·f′(x), where x is what the activation was taken of.
///   relu′(x) = 1 where x > 0   gelu′(x) = Φ(x) + x·φ(x)   gelu_tanh′ by the rules of product and chain
///   silu′(x) = σ(x)·(1 + x·σ(−x))
template <class Real>
void activate_backward(MatrixView<Real> dy, ConstMatrixView<Real> x, Activation activation);

} // namespace tfx
