#pragma once
// The non-linearity between the two products of a feed-forward layer, cell by cell, and the gate of a gated
// one.
//
//   relu(x)         = max(x, 0)
//   squared_relu(x) = max(x, 0)²
//   gelu(x)         = x·Φ(x) = x/2 · (1 + erf(x/√2))
//   gelu_tanh(x)    = x/2 · (1 + tanh(√(2/π)·(x + 0.044715·x³)))
//   silu(x)         = x·σ(x) = x / (1 + e^−x)
//
//   gate: hidden = activation(a) ⊙ b
//
// Source: Hendrycks & Gimpel 2016 (GELU, SiLU), So et al. 2021 (the square), Shazeer 2020 (the gate); the
// tanh form is GPT-2's.

#include "core/architecture.hpp"
#include "core/view.hpp"

namespace tfx {

/// y = activation(x), of one shape. y may be x.
template <class Real>
void activate(MatrixView<Real> y, ConstMatrixView<Real> x, Activation activation);

/// Backward, in place: dy becomes dy·f′(x), where x is what the activation was taken of.
///   relu′(x) = 1 where x > 0   squared_relu′(x) = 2·max(x, 0)   gelu′(x) = Φ(x) + x·φ(x)   gelu_tanh′ by the
///   rules of product and chain silu′(x) = σ(x)·(1 + x·σ(−x))
template <class Real>
void activate_backward(MatrixView<Real> dy, ConstMatrixView<Real> x, Activation activation);

/// hidden = activation(a) ⊙ b, of one shape, in one pass. hidden may be a or b.
template <class Real>
void gate(MatrixView<Real> hidden, ConstMatrixView<Real> a, ConstMatrixView<Real> b, Activation activation);

/// Backward, from the gradient of `hidden`: da = d_hidden ⊙ b ⊙ f′(a), db = d_hidden ⊙ f(a); both are
/// overwritten. Each may be d_hidden, a or b, but not the other.
template <class Real>
void gate_backward(MatrixView<Real> da, MatrixView<Real> db, ConstMatrixView<Real> d_hidden,
                   ConstMatrixView<Real> a, ConstMatrixView<Real> b, Activation activation);

} // namespace tfx
