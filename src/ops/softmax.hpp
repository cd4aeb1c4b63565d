#pragma once
// Softmax and its logarithm along each row, and the way back through them.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op softmax;     ///< e^A / Σ e^A along each row, the constant in rows that are −∞ throughout
extern const Op log_softmax; ///< A − ln Σ e^A along each row

extern const Op
    softmax_gradient; ///< B ⊙ (A − Σ A ⊙ B) along each row; 0 where B is 0, and A is not read there
extern const Op log_softmax_gradient; ///< A − e^B · Σ A along each row

inline constexpr std::array softmax_family = {&softmax, &log_softmax, &softmax_gradient,
                                              &log_softmax_gradient};

} // namespace tfx::op
