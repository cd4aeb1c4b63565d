#pragma once
// Numbers that are solved for: what divided the scores, what was put where the mask blocks, how much of each
// of two tensors was added. Each is taken from one or two cells and holds in all of them.

#include "judge/observations.hpp"

#include <optional>

namespace tfx {

/// Of `yours` in the step's shape:
///   divisor        weights as of scores divided by one number                          {value}
///   added_number   weights as of one number added to the scores where the mask blocks  {value}
///   filled_number  weights as of one number in place of −∞                             {value}
///   combination    a multiple of one tensor plus a multiple of another                 {formula}
std::optional<Observation> solved(const Trace& right, const Step& step, const Tensor& yours,
                                  const Tolerance& tolerance);

} // namespace tfx
