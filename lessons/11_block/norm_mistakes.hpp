#pragma once
// What learners write instead of a LayerNorm.

#include "judge/mistake.hpp"

namespace tfx {

std::vector<Mistake> norm_mistakes();

} // namespace tfx
