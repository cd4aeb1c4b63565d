#pragma once
// Whose state_dict a file holds, as the names of its tensors tell it, and what stands before those names
// because of how the module was wrapped, not of what it is.

#include "io/array_file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tfx {

/// `name` without "module." (nn.DataParallel), "_orig_mod." (torch.compile), "transformer." and "model."
/// before it, however many. What was taken off is added to `taken` once.
std::string_view without_wrappers(std::string_view name, std::vector<std::string>& taken);

/// Whether the name is `end`, or ends with it behind a dot.
bool ends_as(std::string_view name, std::string_view end);

enum class ProgramKind {
  model,  ///< a whole one, with its embeddings
  stack,  ///< layers without embeddings
  layer,  ///< one of them
  module_ ///< a part of a layer
};

struct KnownProgram {
  std::string name; ///< "GPT-2"
  ProgramKind kind = ProgramKind::model;
  std::size_t layers = 0; ///< of a model or stack: the longest list of them
};

/// Whose tensors they are; nothing where their names are no program's of the table.
std::optional<KnownProgram> program_of(const std::vector<TensorFile::Entry>& entries);

/// "GPT-2 (N = 12)".
std::string described(const KnownProgram& program);

/// A table that stands in the file twice, as an embedding and the output layer do that share theirs.
struct TiedTable {
  std::size_t first = 0, again = 0; ///< entries
};

/// Tables of embeddings and of output layers with the same bits, each beside the first of its kind.
std::vector<TiedTable> tied_tables(const TensorFile& file);

} // namespace tfx
