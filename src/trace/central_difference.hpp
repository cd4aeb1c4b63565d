#pragma once
// A gradient measured instead of derived: L with one cell a little larger, less L with it a little smaller.

#include "trace/trace.hpp"

namespace tfx {

/// The most cells of a tensor that are tried, spread evenly over it; fewer where the run is large, so that no
/// lesson takes much longer than a second. A tensor of no more cells is tried whole.
inline constexpr std::size_t max_tried = 64;

/// For each of `tensors`, of which the trace has the gradient d + name: (L(x + h) − L(x − h)) / 2h of its
/// cells, h = 1e-5·max(1, |x|), where L is the step `end` and every step between is computed again. Adds
/// Trace::gradients and the check "gradients": the largest |gradient − difference| / max(1, |difference|),
/// which may be 1e-6. Cells too near a corner of L (a ReLU at 0, a weight of 0 in an entropy) are skipped.
void add_central_differences(Trace& trace, const std::string& end, const std::vector<std::string>& tensors);

} // namespace tfx
