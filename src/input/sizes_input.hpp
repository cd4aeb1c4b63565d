#pragma once
// What the lesson on parameters counts: the sizes of an encoder-decoder, each a number.

#include "input/options.hpp"

namespace tfx {

/// d_model, d_ff, h, N, vocab and n: the learner's, else make_model's of The Annotated Transformer, with a
/// vocabulary of 11 tokens, those of its copy task, and 128 tokens to read. Throws Error(usage) for heads
/// that do not divide the width.
LessonInput given_sizes(const InputOptions& options);

} // namespace tfx
