#pragma once
// The way back: from the one number L of a run to every tensor it came from.

#include "trace/trace.hpp"

namespace tfx {

/// Appends, from the last step to the first, dT = ∂L/∂T for every tensor T that L moves with, as steps of
/// their own (Role::gradient), each with its formula and its operation, and puts central differences beside
/// them (Trace::gradients, check "gradients") unless the run is for its values. L is "loss" where the run has
/// one, else "mean", a step that is added too: the mean of the objective. Where T is used several times, the
/// parts stand before their sum as dT_from_USE. Throws Error(no_memory) where the gradients would not fit.
void add_gradients(Trace& trace);

} // namespace tfx
