#pragma once
// `tfx inspect`: what is in a file of arrays; the numbers of each array, the model that they make up, and the
// screen and JSON of both.

#include "cli/context.hpp"
#include "io/array_file.hpp"
#include "io/known_programs.hpp"
#include "model/model_spec.hpp"

#include <optional>

namespace tfx {

struct ArrayStatistics {
  std::size_t cells = 0, nan = 0, infinite = 0;
  double min = 0, max = 0, mean = 0; ///< of the values that are not NaN; NaN where there is none
};

/// Of entry `i`. Throws Error(bad_data) where its values are wrong.
ArrayStatistics statistics_of(const ArrayFile& file, std::size_t i);

struct FileModel {
  ModelSpec spec;
  bool heads_known = false;   ///< whether the file says the number of heads: its tensors do not
  std::size_t parameters = 0; ///< of the model; what a training or a buffer keeps is none
};

/// None where the file is no encoder-decoder that tfx knows.
std::optional<FileModel> model_in(const ArrayFile& file);

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
