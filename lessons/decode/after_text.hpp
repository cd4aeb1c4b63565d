#pragma once
// What the lesson decode chooses on where a trained decoder says it: the logits behind a text.

#include "input/options.hpp"

namespace tfx {

/// logits (1, V) of --model behind the last token of --text, with all that led to them; u, drawn; and the
/// targets that a beam of four goes on with, greedy's beside them. Throws what text_begun and finish_choice
/// throw.
LessonInput choice_after_text(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
