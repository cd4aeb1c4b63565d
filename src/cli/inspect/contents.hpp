#pragma once
// What is in a file of arrays: the numbers of each, and the model that they make up.

#include "io/array_file.hpp"
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

} // namespace tfx
