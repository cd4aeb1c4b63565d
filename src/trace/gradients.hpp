#pragma once
// The way back from the one number L of a run to every tensor it came from; and each gradient measured
// instead of derived, by central differences: L with one cell a little larger, less L with it a little
// smaller.

#include "trace/trace.hpp"

namespace tfx {

/// The most cells of a tensor that are tried, spread evenly over it; fewer where the run is large, so that no
/// lesson takes much longer than a second. A tensor of no more cells is tried whole. Where even one of each
/// is too much, a cell of the last tensors is tried and none of the others.
inline constexpr std::size_t max_tried = 64;
inline constexpr std::size_t least_tensors = 2;

/// How far a gradient may lie from its central difference, measured by the gradient's largest cell.
inline constexpr double max_apart = 1e-6;

/// For each of `tensors`, of which the trace has the gradient d + name: (L(x + h) − L(x − h)) / 2h of its
/// cells, h = 1e-5·max(1, |x|), where L is the step `end` and every step between is computed again. Where
/// that is not the gradient, differences with other steps say how far a difference can be off here, by the
/// bend of L and by its rounding, and the best of them counts. Adds Trace::gradients and the check
/// "gradients": the largest |gradient − difference| / max(largest |gradient| of the tensor, error of the
/// difference / max_apart), which may be max_apart. Cells too near a corner of L (a ReLU at 0, a weight of 0
/// in an entropy) are skipped.
void add_central_differences(Trace& trace, const std::string& end, const std::vector<std::string>& tensors);

/// Appends, from the last step to the first, dT = ∂L/∂T for every tensor T that L moves with, as steps of
/// their own (Role::gradient), each with its formula and its operation, and puts central differences beside
/// them (Trace::gradients, check "gradients") unless the run is for its values. L is "loss" where the run has
/// one, else "mean", a step that is added too: the mean of the objective. Where T is used several times, the
/// parts stand before their sum as dT_from_USE. Throws Error(no_memory) where the gradients would not fit.
void add_gradients(Trace& trace);

} // namespace tfx
