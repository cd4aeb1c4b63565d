#pragma once
// What the lesson gpt runs on, a decoder alone and a text that it goes on with; and microgpt's first steps,
// each in double by the lesson's own operations and the page's formulas.

#include "input/lesson_input.hpp"
#include "input/options.hpp"
#include "model/transformer.hpp"
#include "trace/trace.hpp"

namespace tfx {

/// tgt: the mark that starts a text, and the text; labels: what came next at each place, −1 where nobody
/// knows; every parameter by the state_dict's names. Of --model and --text, by default the shipped model
/// microgpt; of the tutorial microgpt its first document, with the weights that it begins with. Throws
/// Error(usage) for a model that has an encoder, for a text that it cannot read, or that is longer than its
/// context; Error(no_memory), and what model_file throws.
LessonInput text_begun(const InputOptions& options, const InputRules& lesson);

/// Every parameter of the decoder, its heads, and what it is made of; words: of its vocabulary; source: where
/// the numbers are from, before their names.
void give_decoder(LessonInput& input, const Transformer<double>& model, const std::vector<std::string>& words,
                  const std::string& source);

/// Such an input on these tokens, named x1, x2, …; each is asked for the next one, and nobody knows the last.
LessonInput reading_of(LessonInput input, std::vector<double> ids);

/// Of each id of such an input's vocabulary what stands for it.
std::vector<std::string> words_of(const LessonInput& input);

/// The decoder's run on the page on such an input, its tensors named and explained as there, the last layer's
/// weights pictured; with_loss: up to the loss of the labels.
Trace decoder_page(const LessonInput& input, const std::vector<std::string>& words, bool with_loss);

/// Check "probs_sum_to_one".
void check_probabilities(Trace& trace);

/// The lesson's run, of such an input.
Trace run_gpt(const LessonInput& input);

/// Of the run of the tutorial microgpt: experiment "documents", its first documents after the shuffle;
/// experiment "first_steps", a step on each of them with its loss beside the printed one; experiment "adam",
/// what these steps do to one cell. Check "published_losses".
void add_first_steps(Trace& trace, const LessonInput& input);

} // namespace tfx
