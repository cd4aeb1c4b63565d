#pragma once
// Statistics of an array in a file, computed without holding all its values.

#include "io/array_file.hpp"

namespace tfx {

struct ArrayStatistics {
  std::size_t cells = 0, nan = 0, infinite = 0;
  double min = 0, max = 0, mean = 0; ///< of the values that are not NaN; NaN where there is none
};

/// Of entry `i`. Throws Error(bad_data) where its values are wrong.
ArrayStatistics statistics_of(const ArrayFile& file, std::size_t i);

} // namespace tfx
