#pragma once
// What learners write instead of a LayerNorm.

#include "trace/mistake.hpp"

namespace tfx {

std::vector<Mistake> norm_mistakes();

} // namespace tfx
