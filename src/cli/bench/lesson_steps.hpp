#pragma once
// What `tfx bench lesson` measures: a lesson's steps, as long as the lesson says they take, beside the same
// Armadillo expressions alone.

#include "core/machine.hpp"
#include "render/report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tfx {

struct StepBesideExpression {
  std::string name, expression;    ///< "Q", "X * W_Q"
  double in_lesson = 0, alone = 0; ///< seconds, medians
  double ratio = 0; ///< the median over the rounds, in which both are timed one after the other
};

struct LessonSteps {
  static constexpr double most = 1.5; ///< times the expression alone, and between equal products

  Machine machine;
  std::size_t seq = 0, d_model = 0, rounds = 0;
  std::vector<StepBesideExpression> steps;

  /// The slowest of Q, K and V over the fastest: three products of the same shapes.
  double between_equals() const;
};

/// The lesson attention on `seq` drawn tokens of that width, so many times. Throws as run_lesson does.
LessonSteps time_lesson_steps(std::size_t seq, std::size_t d_model, std::size_t rounds, std::uint32_t seed);

Report lesson_steps_report(const LessonSteps& run);

} // namespace tfx
