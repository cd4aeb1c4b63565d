#pragma once
// What learners write instead of the chain rule's steps back.

#include "trace/mistake.hpp"

namespace tfx {

std::vector<Mistake> gradient_mistakes();

} // namespace tfx
