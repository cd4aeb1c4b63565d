#pragma once
// Which model a file's tensors and metadata make, and what metadata say of a model: the choices that its
// tensors do not show.

#include "io/array_file.hpp"
#include "model/checkpoint.hpp"
#include "model/tensor_names.hpp"

#include <map>
#include <optional>
#include <string>

namespace tfx {

/// The metadata of a safetensors file under these names: heads, norm, placement and activation always, of the
/// others what is not as the names let a reader take it.
std::map<std::string, std::string> metadata_of(const ModelSpec& spec, const FileScheme& scheme = {});

/// Throws Error(usage) where a file without metadata, an npz, would be read as another model.
void require_no_metadata_needed(const ModelSpec& spec, const FileScheme& scheme, const std::string& path);

/// Throws Error(bad_data) with what the file is where its names are known and are not read here.
void refuse_other_program(const TensorFile& file);

/// The configuration of the model in `file`, its shape read from the tensors. Throws Error(bad_data) with the
/// tensor that is missing or whose shape makes no model, or with what a config.json in `given` says
/// otherwise; Error(usage) where neither `given` nor the metadata say the number of heads. `vocabularies`: of
/// layers alone, whose file shows none.
ModelSpec spec_of(const TensorFile& file, const NamedSources& sources, const GivenStyle& given,
                  const std::optional<Vocabularies>& vocabularies = {});

/// As the two tables of embeddings show them.
Vocabularies vocabularies_of(const TensorFile& file, const NamedSources& sources);

/// A name in a message: the file's and, where it is another program's, ours.
std::string both_names(const std::string& ours, const FileScheme& scheme);

} // namespace tfx
