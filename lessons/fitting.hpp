#pragma once
// What an operation asks of the shapes of its inputs. In a right run they fit. In a wrong one a mistake may
// have given any of them another shape: the operation would then read past its end, or stop with Armadillo's
// words, which name no tensor.

#include "trace/trace.hpp"

namespace tfx {

/// Throws Error(bad_data), as refuse_shapes says it, where `how` cannot be computed from the tensors of
/// `trace` into one of shape `result`.
void require_fitting(const Trace& trace, const How& how, const Shape& result);

} // namespace tfx
