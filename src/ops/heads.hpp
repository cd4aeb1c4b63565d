#pragma once
// Cutting a matrix into heads and putting them side by side again: cells move, nothing is computed.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op split_heads; ///< (…, n, h·d) → (…, h, n, d), h = constant
extern const Op merge_heads; ///< (…, h, n, d) → (…, n, h·d)

inline constexpr std::array heads_family = {&split_heads, &merge_heads};

} // namespace tfx::op
