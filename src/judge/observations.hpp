#pragma once
// What can be said of a learner's array that differs, without guessing: relations to the lesson's tensors
// that hold in every cell, and places that stand out.

#include "judge/comparison.hpp"
#include "judge/observation.hpp"

#include <string>
#include <vector>

namespace tfx {

/// In the order in which they help.
/// `right[tensor]` and `yours` differ within `tolerance`.
std::vector<Observation> observations(const Trace& right, const std::string& tensor, const Tensor& yours,
                                      const Tolerance& tolerance);

} // namespace tfx
