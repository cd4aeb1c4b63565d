#pragma once
// Trained models by name or text: which one is meant, which texts it can read, and how the layers of a file
// compute, as far as the command line has to say it, because a state_dict has tensors and no style.

#include "input/options.hpp"
#include "io/array_file.hpp"
#include "model/checkpoint.hpp"
#include "model/model_card.hpp"

#include <optional>
#include <string>

namespace tfx {

/// The shipped model of that name, or the file. Throws Error(usage) for a name that is neither, and what
/// reading a file throws.
TensorFile model_file(const std::string& name);

/// What the learner should know of the names in a file of one's own: what was taken off them, biases that are
/// not there, tables that are one.
std::vector<std::string> notes_on(const TensorFile& file);

/// The card in the file, or where it has none, that of ids.
ModelCard card_or_ids(const TensorFile& file, const ModelSpec& spec);

/// Whether the text can be read without a token that no training has seen.
bool knows(const ModelCard& card, const std::string& text);

/// Each token as a screen shows it: its text, or where it has none, as a mark of capitals, its name.
std::vector<std::string> tokens_of(const Vocabulary& vocabulary, const std::vector<std::uint32_t>& ids);

/// A text that the model can read, for a learner who gave none.
std::string example_text(const ModelCard& card);
/// One that fits the screen with all of a model's heads.
std::string short_example(const ModelCard& card);

/// The beginning of a text that a decoder alone can go on with.
std::string example_begun(const ModelCard& card);

/// The shipped model that commands take where none is named: "reverse". Nothing where it is not shipped.
std::optional<std::string> usual_model();

/// The first shipped model that knows every token of the text.
std::optional<std::string> model_that_reads(const std::string& text);

/// What --heads, --norm, --norm-first, --norm-last and --activation say of the file's model. Throws
/// Error(usage) where the file's metadata say it, and for an activation that no model of the engine has.
GivenStyle given_style(const InputOptions& options, const TensorFile& file);

/// " --norm standard --norm-last --activation relu": what of the model's style neither the file nor the
/// options say. Empty where nothing is left.
std::string assumed_style(const InputOptions& options, const TensorFile& file, const ModelSpec& spec);

} // namespace tfx
