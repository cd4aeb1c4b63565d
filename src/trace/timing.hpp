#pragma once
// How long a step's formula takes on matrices that are ready.

#include "ops/operation.hpp"

namespace tfx {

struct TimedTensor {
  Tensor value;
  double seconds = 0;
  std::size_t runs = 1; ///< that the seconds are the median of
};

/// The operation's result and the time of its formula, without carrying its matrices to Armadillo and back:
/// the median of at least three runs after the first, which loads code and touches memory for the first time.
/// They take their time from `spare_seconds`, which the steps of a run share; where it is not enough, the
/// time is that of the first.
TimedTensor timed(const Arguments& arguments, double& spare_seconds);

} // namespace tfx
