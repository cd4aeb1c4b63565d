#pragma once
// The learner's own mask: read, laid out for the heads, and looked at for the commonest mistake.

#include "input/options.hpp"

namespace tfx {

/// Adds mask_given from --mask. In lessons with heads three axes are a mask a sentence (b, n_q, n_k) of a
/// batch, which gets an axis for the heads; without a batch a mask a head (h, n_q, n_k); and (b·h, n_q, n_k)
/// is a mask a sentence and head, as nn.MultiheadAttention takes them. A note asks where 1 seems to mean
/// blocked. Throws Error(bad_data).
void give_mask(const InputOptions& options, const InputRules& lesson, LessonInput& input);

/// Whether the mask is a causal one turned round: rows that see later keys, and neither themselves nor
/// earlier ones.
bool seems_turned_round(const Tensor& mask);

} // namespace tfx
