#pragma once
// The learner's own input, and random input of the learner's sizes.

#include "input/options.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Tokens from --text, --words, --x or at random, and their projections.
LessonInput own_tokens(const InputOptions& options, const InputRules& lesson);

/// --q, --k and --v, or random ones of --n-q, --n-k, --d-k and --d-v: Q, K and V themselves, or in lessons
/// that project, what is projected.
LessonInput own_triple(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
