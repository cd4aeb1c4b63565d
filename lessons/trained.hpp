#pragma once
// Lessons on numbers that were learned: the vectors that a trained model computes on the way for a text, and
// the weights of one of its heads, in place of random ones. Each vector has the whole way to it recorded: the
// page of the lesson model up to that place.

#include "input/options.hpp"

namespace tfx {

/// The command that makes a model whose queries and keys turn: none is shipped.
inline constexpr const char* trains_rotary =
    "train --corpus FILE --preset llama-micro --out llama.safetensors";

/// The input of lessons on X, by --model, --text, --layer and --head: of the encoder's self-attention; of the
/// decoder's where the lesson is causal or decodes; of the cross-attention where it has a memory. The decoder
/// reads the model's own answer to the text; of rotary positions it is a decoder alone. Without --layer the
/// last, without --head the first; lessons with heads take all of the layer's. Throws Error(usage) for a
/// layer or head that is not there, for a text that the model cannot read, and for a feed-forward layer whose
/// activation the page lacks; Error(no_memory), and what model_file throws.
LessonInput trained_input(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
