#pragma once
// The loss of predicted tokens: how far a column of logits is from what should have come, in nats.
//
//   p = softmax(x)    t = the target: 1 − ε at the label, ε/(V − 2) at the others, 0 at the padding token;
//                    ε/(V − 1) where no token is padding
//   KL(t ‖ p) = Σ t·(ln t − ln p)       ln pᵢ = xᵢ − m − ln Σ exp(xⱼ − m)
//
// With ε = 0 it is the cross-entropy −ln p(label). It is The Annotated Transformer's LabelSmoothing,
// KLDivLoss (reduction "sum"). Its gradient is dx = p·Σt − t. A column whose label is the padding token has t
// = 0: it counts nothing. Sums are taken in double. Source: Szegedy et al. 2015, section 7.

#include "core/view.hpp"

#include <cstdint>

namespace tfx {

struct Smoothing {
  double epsilon = 0;    ///< in [0, 1); above 0 the vocabulary has at least 3 tokens
  std::uint32_t pad = 0; ///< the padding token
};

/// losses: one a column. Logits, vocabulary × columns, become factor·dx.
template <class Real>
void cross_entropy(double* losses, MatrixView<Real> logits, const std::uint32_t* labels,
                   const Smoothing& smoothing, double factor);

} // namespace tfx
