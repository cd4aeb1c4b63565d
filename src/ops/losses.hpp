#pragma once
// A loss: what the predictions should be, and how far they are from it.

#include "ops/operation.hpp"

namespace tfx::op {

/// Of labels A and the padding's number B, as wide as C: the constant spread over the words that are no
/// label.
extern const Op smoothed_target;
/// Σ B ⊙ (ln B − A) / constant where B is not 0, of log-probabilities A and targets B: the Kullback-Leibler
/// divergence, and the cross-entropy where a target is one word.
extern const Op kl_divergence;

inline constexpr std::array losses_family = {&smoothed_target, &kl_divergence};

} // namespace tfx::op
