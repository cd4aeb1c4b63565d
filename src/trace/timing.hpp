#pragma once
// How long a step's formula takes on matrices that are ready.

#include "ops/operation.hpp"

namespace tfx {

struct TimedTensor {
  Tensor value;
  double seconds = 0;
};

/// The operation's result and the time of its formula: the median of at least three warm runs, without
/// carrying its matrices to Armadillo and back. Where the runs would take more than 20 ms, of as many as fit,
/// else of the first.
TimedTensor timed(const Arguments& arguments);

} // namespace tfx
