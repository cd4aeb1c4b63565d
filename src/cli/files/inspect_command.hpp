#pragma once
// `tfx inspect`: what is in a file of arrays.

#include "cli/context.hpp"
#include "cli/files/contents.hpp"
#include "io/known_programs.hpp"

namespace tfx {

// What `tfx inspect` found, as a screen and as JSON.

struct InspectedArray {
  std::size_t entry; ///< of the file
  ArrayStatistics statistics;
};

struct Inspected {
  const ArrayFile& file;
  std::optional<FileModel> model;
  std::optional<KnownProgram> program; ///< whose tensors they are, where no model was read
  std::vector<TiedTable> tied;
  std::vector<InspectedArray> arrays = {};
};

enum class InspectForm {
  list,  ///< a line an array
  values ///< with what is in them
};

std::string inspect_screen(const Inspected& inspected, InspectForm form, const Context& context);
std::string inspect_json(const Inspected& inspected, InspectForm form);

} // namespace tfx
