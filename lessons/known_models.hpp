#pragma once
// Which trained model a name or a text stands for, and which texts it can read.

#include "io/tensor_file.hpp"
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

} // namespace tfx
