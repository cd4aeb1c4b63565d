#include "train/schedule.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

/// 0 … 1 on the way up, where there is one.
double rise(double step, double warmup) {
  return warmup > 0 ? std::min(1.0, step / warmup) : 1;
}

} // namespace

const Choices<Schedule::Curve>& curves() {
  static const Choices<Schedule::Curve> all{{"warmup", Schedule::Curve::warmup_root},
                                            {"linear", Schedule::Curve::linear}};
  return all;
}

double learning_rate(const Schedule& schedule, std::uint64_t step) {
  const double t = static_cast<double>(std::max<std::uint64_t>(step, 1)),
               warmup = static_cast<double>(schedule.warmup);
  if (schedule.curve == Schedule::Curve::warmup_root) {
    const double root = 1 / std::sqrt(static_cast<double>(schedule.d_model));
    return schedule.rate * root * std::min(1 / std::sqrt(t), warmup > 0 ? t * std::pow(warmup, -1.5) : 1);
  }
  if (t <= warmup || schedule.decay_to == 0) return schedule.rate * rise(t, warmup);
  constexpr double lowest = 0.01;
  const double end = static_cast<double>(schedule.decay_to);
  const double fall = end > warmup ? (end - t) / (end - warmup) : 0;
  return schedule.rate * std::max(lowest, fall);
}

} // namespace tfx
