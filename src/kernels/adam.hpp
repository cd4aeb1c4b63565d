#pragma once
// One step of Adam on a run of numbers, as torch.optim.Adam; with decay > 0 as torch.optim.AdamW.
//
//   m = β₁·m + (1 − β₁)·g      v = β₂·v + (1 − β₂)·g²
//   p = p·(1 − lr·decay) − lr/(1 − β₁ᵗ) · m / (√(v/(1 − β₂ᵗ)) + ε)
//
// Source: Kingma & Ba 2015, algorithm 1; Loshchilov & Hutter 2019, algorithm 2.

#include <cstddef>
#include <cstdint>

namespace tfx {

/// The defaults are the paper's for the Transformer (Vaswani et al. 2017, section 5.3).
struct AdamRule {
  double beta_1 = 0.9, beta_2 = 0.98, epsilon = 1e-9;
  double decay = 0; ///< of AdamW: apart from the gradient
};

/// One step, the same for all numbers.
struct AdamStep {
  AdamRule rule = {};
  double learning_rate = 0;
  std::uint64_t t = 1;        ///< counts from 1
  double gradient_factor = 1; ///< gradients are multiplied by it first: clipping
};

/// A run of parameters p, their moments m and v, and their gradient g: `size` numbers each.
template <class Real>
struct AdamView {
  Real *p, *m, *v;
  const Real* g;
  std::size_t size;
};

/// Updates p, m and v.
template <class Real>
void adam(const AdamView<Real>& numbers, const AdamStep& step);

} // namespace tfx
