#include "kernels/adam.hpp"

#include "kernels/simd/run.hpp"

#include <cmath>

namespace tfx {

namespace {

/// A step's factors, as the numbers are.
template <class Real>
struct Factors {
  explicit Factors(const AdamStep& step)
      : beta_1(static_cast<Real>(step.rule.beta_1)),
        beta_2(static_cast<Real>(step.rule.beta_2)),
        rest_1(static_cast<Real>(1 - step.rule.beta_1)),
        rest_2(static_cast<Real>(1 - step.rule.beta_2)),
        epsilon(static_cast<Real>(step.rule.epsilon)),
        gradient(static_cast<Real>(step.gradient_factor)),
        keep(static_cast<Real>(1 - step.learning_rate * step.rule.decay)) {
    const double t = static_cast<double>(step.t);
    rate = static_cast<Real>(step.learning_rate / (1 - std::pow(step.rule.beta_1, t)));
    inverse_root = static_cast<Real>(1 / std::sqrt(1 - std::pow(step.rule.beta_2, t)));
  }

  Real beta_1, beta_2, rest_1, rest_2, epsilon, gradient, keep;
  Real rate;         ///< lr/(1 − β₁ᵗ)
  Real inverse_root; ///< 1/√(1 − β₂ᵗ)
};

} // namespace

} // namespace tfx

#define TFX_KERNEL "kernels/adam.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

template <class Real>
void adam(const AdamView<Real>& numbers, const AdamStep& step) {
  const Factors<Real> factors(step);
  TFX_CALL(adam_step, numbers, factors);
}

template void adam(const AdamView<float>&, const AdamStep&);
template void adam(const AdamView<double>&, const AdamStep&);

} // namespace tfx
