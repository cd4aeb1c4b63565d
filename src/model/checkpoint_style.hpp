#pragma once
// The shape and style of a model as a file says them.

#include "core/choices.hpp"
#include "model/checkpoint.hpp"
#include "model/foreign_names.hpp"

#include <map>
#include <string>

namespace tfx {

/// `activation` of the metadata.
const Choices<Activation>& activations();

/// The metadata of a safetensors file.
std::map<std::string, std::string> metadata_of(const LayerStyle& style);

/// Throws Error(bad_data) with what the file is where its names are known and make no encoder-decoder.
void refuse_other_program(const TensorFile& file);

/// The configuration of the model in `file`, its shape read from the tensors. Throws Error(bad_data) with the
/// tensor that is missing or whose shape makes no model, Error(usage) where neither `given` nor the
/// metadata say the number of heads. `vocabularies`: of layers alone, whose file shows none.
Config config_of(const TensorFile& file, const NamedSources& sources, const GivenStyle& given,
                 const std::optional<Vocabularies>& vocabularies = {});

/// As the two tables of embeddings show them.
Vocabularies vocabularies_of(const TensorFile& file, const NamedSources& sources);

} // namespace tfx
