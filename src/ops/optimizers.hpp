#pragma once
// What an optimizer makes of a gradient, cell by cell: averages over the steps of a training, and Adam's
// quotient of them. That SGD and weight decay only multiply, elementwise.hpp has.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op moving_average;            ///< constant·A + (1 − constant)·B
extern const Op moving_average_of_squares; ///< constant·A + (1 − constant)·B²
extern const Op adam_direction;            ///< A / (√B + constant)

inline constexpr std::array optimizers_family = {&moving_average, &moving_average_of_squares,
                                                 &adam_direction};

} // namespace tfx::op
