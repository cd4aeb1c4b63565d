#pragma once
// Sinusoidal positions. Vaswani et al. 2017, section 3.5.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op angle;   ///< p / 10000^(2⌊j/2⌋/d) of positions p, d = constant      (n) → (n, d)
extern const Op sin_cos; ///< sin A in even columns, cos A in odd ones

inline constexpr std::array positions_family = {&angle, &sin_cos};

} // namespace tfx::op
