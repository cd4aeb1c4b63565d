#pragma once
// A tensor in a line: what a learner looks at first where there are too many numbers to read.

#include "core/tensor.hpp"

#include <string>

namespace tfx {

/// Over the cells that are no NaN; of none, all are 0. The standard deviation is the population's.
struct Statistics {
  double mean = 0, deviation = 0, min = 0, max = 0;
  std::size_t nan = 0; ///< how many cells are NaN
};

Statistics statistics_of(const Tensor& tensor);

/// A named tensor whose numbers need not be kept.
struct ActivationSummary {
  std::string name;
  Shape shape;
  Statistics statistics;
};

} // namespace tfx
