#pragma once
// Which model a file of arrays holds, as far as its tensors and metadata say.

#include "io/array_file.hpp"
#include "model/config.hpp"

#include <optional>

namespace tfx {

struct FileModel {
  Config config;
  bool heads_known = false;   ///< whether the file says the number of heads: its tensors do not
  std::size_t parameters = 0; ///< of the model; what a training or a buffer keeps is none
};

/// None where the file is no encoder-decoder that tfx knows.
std::optional<FileModel> model_in(const ArrayFile& file);

} // namespace tfx
