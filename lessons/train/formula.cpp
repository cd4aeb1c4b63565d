#include "page/optimizers.hpp"

#include <algorithm>
#include <cmath>

namespace tfx::page {

mat sgd(const mat& W, const mat& g, double learning_rate) {
  return W - learning_rate * g;
}

mat moving_average(const mat& before, const mat& now, double beta) {
  return beta * before + (1 - beta) * now;
}

// An average that began with 0 is too small by just this factor.
mat bias_corrected(const mat& average, double beta, double t) {
  return average / (1 - std::pow(beta, t));
}

// Where every gradient was the same, m̂/√v̂ is its sign: the size of a gradient drops out.
mat adam_direction(const mat& m_hat, const mat& v_hat, double epsilon) {
  return m_hat / (arma::sqrt(v_hat) + epsilon);
}

Adam adam(const mat& W, const mat& g, const AdamMoments& before, const AdamStep& step) {
  Adam a;
  a.m = moving_average(before.m, g, step.beta_1);
  a.v = moving_average(before.v, g % g, step.beta_2);
  a.m_hat = bias_corrected(a.m, step.beta_1, step.t);
  a.v_hat = bias_corrected(a.v, step.beta_2, step.t);
  a.direction = adam_direction(a.m_hat, a.v_hat, step.epsilon);
  a.W = W - step.learning_rate * (a.direction + step.decay * W); // AdamW: W shrinks, apart from its gradient
  return a;
}

double warmed_up_rate(double step, double d_model, double warmup) {
  return std::min(1 / std::sqrt(step), step * std::pow(warmup, -1.5)) / std::sqrt(d_model);
}

} // namespace tfx::page
