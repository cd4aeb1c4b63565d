#pragma once
// The index of a model whose weights stand in several files (model.safetensors.index.json): the names of its
// tensors and the bytes of them all, without their shapes.

#include "architecture/blueprint.hpp"
#include "io/json_reader.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfx::params {

struct WeightIndex {
  struct Tensor {
    std::string name, file;
  };

  std::string path;                        ///< of the index
  std::optional<std::uint64_t> bytes = {}; ///< of all tensors, where it says so
  std::vector<Tensor> tensors = {};        ///< in its order
  std::size_t files = 0;                   ///< with weights
};

/// Whether a document is one, and no configuration.
bool is_weight_index(const JsonValue& document);

/// Throws Error(bad_data) where names, files or bytes are none.
WeightIndex read_weight_index(const JsonValue& document, const std::string& path);

/// The names of an index as a tree, each tensor without a cell: nobody knows its shape.
Module tree_of(const WeightIndex& index);

/// A blueprint and an index of the same model, held against each other. A file may leave out a prefix of all
/// names
/// ("model."), or have one more; tied tensors stand in it or do not.
struct IndexComparison {
  std::size_t shared = 0;
  std::vector<std::string> missing; ///< names of the blueprint that the index lacks
  std::vector<std::string> besides; ///< names that only the index has
};
IndexComparison compare(const Module& root, const WeightIndex& index);

} // namespace tfx::params
