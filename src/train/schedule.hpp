#pragma once
// The learning rate of every step, a function of the step and the configuration alone: never of how many
// steps are asked for, so that a resumed training goes on as if it had not stopped.
//
//   warmup_root: rate · d_model^−½ · min(step^−½, step · warmup^−3/2)      Vaswani et al. 2017, section 5.3
//   linear:      rate · min(step/warmup, (decay_to − step)/(decay_to − warmup)), but never below rate/100

#include "core/choices.hpp"

#include <cstddef>
#include <cstdint>

namespace tfx {

struct Schedule {
  enum class Curve { warmup_root, linear };

  Curve curve = Curve::warmup_root;
  double rate = 1;            ///< linear: the highest learning rate; warmup_root: a factor, 1 in the paper
  std::uint64_t warmup = 400; ///< steps on which it rises
  std::uint64_t decay_to = 0; ///< linear: the step at which it would be 0; 0: it stays at `rate`
  std::size_t d_model = 512;  ///< warmup_root

  bool operator==(const Schedule&) const = default;
};

/// As an option takes them and a checkpoint keeps them.
const Choices<Schedule::Curve>& curves();

/// Steps count from 1.
double learning_rate(const Schedule& schedule, std::uint64_t step);

} // namespace tfx
