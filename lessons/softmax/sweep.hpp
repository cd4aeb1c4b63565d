#pragma once
// Why one divides by √d_k: the same softmax at growing widths, with the scale and without.

#include "trace/trace.hpp"

namespace tfx {

/// How many random queries and keys the sweep has.
inline constexpr std::size_t sweep_size = 8;

/// Random queries and keys (NumPy's stream, seed 42) at each d_k: the spread of the scores, the largest
/// weight and the entropy of a row on average, without the scale and with it.
Experiment scale_sweep();

} // namespace tfx
