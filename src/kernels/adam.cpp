#include "kernels/adam.hpp"

#include <cmath>

namespace tfx {

template <class Real>
void adam(const AdamView<Real>& numbers, const AdamStep& step) {
  const auto& [p, m, v, g, size] = numbers;
  const AdamRule& rule = step.rule;
  const double t = static_cast<double>(step.t);
  const auto beta_1 = static_cast<Real>(rule.beta_1), beta_2 = static_cast<Real>(rule.beta_2),
             rest_1 = static_cast<Real>(1 - rule.beta_1), rest_2 = static_cast<Real>(1 - rule.beta_2),
             epsilon = static_cast<Real>(rule.epsilon), factor = static_cast<Real>(step.gradient_factor),
             keep = static_cast<Real>(1 - step.learning_rate * rule.decay),
             rate = static_cast<Real>(step.learning_rate / (1 - std::pow(rule.beta_1, t))),
             inverse_root = static_cast<Real>(1 / std::sqrt(1 - std::pow(rule.beta_2, t)));
  for (std::size_t i = 0; i < size; ++i) {
    const Real d = g[i] * factor;
    m[i] = beta_1 * m[i] + rest_1 * d;
    v[i] = beta_2 * v[i] + rest_2 * d * d;
    p[i] = p[i] * keep - rate * m[i] / (std::sqrt(v[i]) * inverse_root + epsilon);
  }
}

template void adam(const AdamView<float>&, const AdamStep&);
template void adam(const AdamView<double>&, const AdamStep&);

} // namespace tfx
