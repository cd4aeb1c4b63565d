#pragma once
// What the lesson gpt runs on: a decoder alone, and a text that it goes on with.

#include "input/options.hpp"

namespace tfx {

/// tgt: the mark that starts a text, and the text; labels: what came next at each place, −1 where nobody
/// knows; every parameter by the state_dict's names. Of --model and --text, by default the shipped model
/// microgpt; of the tutorial microgpt its first document, with the weights that it begins with. Throws
/// Error(usage) for a model that has an encoder, for a text that it cannot read, or that is longer than its
/// context; Error(no_memory), and what model_file throws.
LessonInput text_begun(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
