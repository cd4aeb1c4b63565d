#pragma once
// What the lesson params counts of a decoder alone.

#include "input/options.hpp"

namespace tfx {

/// d_model, d_ff, h, N, vocab of --model, and n tokens to read: --seq, by default as many as it can read, at
/// most 128. Throws Error(usage) for a model that has an encoder, for one whose attention is not made of four
/// square matrices, and for more tokens than it reads; and what model_file throws.
LessonInput sizes_of_decoder(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
