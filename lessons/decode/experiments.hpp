#pragma once
// What the choice of a token is measured by, and what each strategy leaves of one distribution.

#include "input/lesson_input.hpp"

namespace tfx {

inline constexpr double length_exponent = 0.6; ///< Vaswani et al. 2017, section 6.1

/// Checks: the recorded steps are the page's formula, what was cut off has no probability, the temperature
/// changes no order. Facts of the choice, and of the beam's targets.
void check_choice(Trace& trace, const LessonInput& input);

/// A row a strategy: the distribution that it draws from, of the tokens that are the most probable.
void compare_strategies(Trace& trace, const LessonInput& input);

} // namespace tfx
