#pragma once
// Lessons on numbers that were learned: the vectors that a trained model computes on the way for a text, and
// the weights of one of its heads, in place of random ones. Each vector has the whole way to it recorded: the
// page of lesson 12 up to that place.

#include "input/options.hpp"
#include "io/tensor_file.hpp"
#include "model/model_card.hpp"

#include <optional>
#include <string>

namespace tfx {

/// The shipped model of that name, or the file. Throws Error(usage) for a name that is neither, and what
/// reading a file throws.
TensorFile model_file(const std::string& name);

/// The card in the file, or where it has none, that of ids.
ModelCard card_or_ids(const TensorFile& file, const Config& config);

/// Whether the text can be read without a token that no training has seen.
bool knows(const ModelCard& card, const std::string& text);

/// A text that the model can read, for a learner who gave none.
std::string example_text(const ModelCard& card);
/// One that fits the screen with all of a model's heads.
std::string short_example(const ModelCard& card);

/// The shipped model that commands take where none is named: "reverse". Nothing where it is not shipped.
std::optional<std::string> usual_model();

/// The first shipped model that knows every token of the text.
std::optional<std::string> model_that_reads(const std::string& text);

/// The input of lessons on X, by --model, --text, --layer and --head: of the encoder's self-attention; of the
/// decoder's where the lesson is causal or decodes; of the cross-attention where it has a memory. The decoder
/// reads the model's own answer to the text. Without --layer the last, without --head the first; lessons with
/// heads take all of the layer's. Throws Error(usage) for a layer or head that is not there, for a text that
/// the model cannot read, and for a feed-forward layer whose activation the page lacks; Error(no_memory), and
/// what model_file throws.
LessonInput trained_input(const InputOptions& options, const InputRules& lesson);

} // namespace tfx
