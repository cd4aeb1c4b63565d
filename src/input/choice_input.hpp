#pragma once
// What the lesson on choosing a token runs on: what the shipped model says at one step of a text that leaves
// it unsure, a place between 0 and 1 to draw at, and the targets that its beam ends with.

#include "input/options.hpp"

namespace tfx {

/// logits (1, V) of data/tutorials/decode-logits.csv, or of --logits; u (1, 1), drawn;
/// target_log_probs and lengths of data/tutorials/decode-targets.csv. Throws as load_matrices does, and
/// Error(usage) where --logits has more than one row.
LessonInput choice_input(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
