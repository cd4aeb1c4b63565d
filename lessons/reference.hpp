#pragma once
// The same run made by NumPy (and checked against PyTorch), shipped with the program: data/reference/lessons.

#include "trace/trace.hpp"

#include <string>

namespace tfx {

/// Compare every tensor of a lesson's run with NumPy's run of the tutorial ("fun-transformer:1") and add the
/// check "equals_reference": equal is 1e-12 relative to max(1, |x|). No check where no reference is shipped.
void check_against_reference(Trace& trace, const std::string& run);

} // namespace tfx
