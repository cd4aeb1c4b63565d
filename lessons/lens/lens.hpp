#pragma once
// What the lesson lens runs on, a trained model's run on a text; and its experiments.

#include "input/lesson_input.hpp"
#include "input/options.hpp"
#include "lessons/lens/terms.hpp"

namespace tfx {

/// Every step of the model's page up to the place asked for, with the role `before`; place, token and
/// against; `decoder`: what the model is made of; `other`: its run on --from. Of --model and --text, by
/// default the translator and the sentence that its boxes have, beside another one. An encoder-decoder reads
/// its own answer. Throws Error(usage) for a model without a decoder, a text that it cannot read or that is
/// longer than its context, a place behind the answer, a word that is no token of it, and a part that it has
/// not or that the other text has no numbers for; Error(no_memory), and what model_file throws.
LessonInput answer_asked(const InputOptions& options, const InputRules& lesson);

/// The idea: p of the token and the most probable token at each depth; experiment "depths", the same as a
/// table. Facts "said_from", where the answer is the most probable token from there on.
void show_depths(Trace& trace);

/// Experiments "logit_table" and, where two tokens are compared, "difference_table": a row a sublayer, a
/// column a head, the bias and the sum.
void show_terms(Trace& trace, const LogitTerms& terms);

/// Experiments "asked_changes", what --without and --patch change together, and "changes" and "head_changes":
/// what is left of the difference of the two logits where a part adds nothing, or what it adds on the other
/// text. Check "memory_is_all". `page`: a run of run_model_page, which the lesson begins with.
void show_changes(Trace& trace, const Trace& page, const LessonInput& input);

} // namespace tfx
