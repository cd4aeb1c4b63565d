#pragma once
// NaN and infinities in an answer where the lesson has numbers: no other comparison means anything then.

#include "judge/observations.hpp"

namespace tfx {

/// "not_finite" with what they are (kind: NaN, ∞, −∞, or several), how many cells (count), the first one
/// (cell), and what most likely makes them (how): an empty_row of a softmax, an overflow in one, the log of
/// 0, the root of a negative number, other. Nothing where every cell is a number, or the lesson's is none
/// either. Of another shape, where the lesson's tensor has numbers alone.
std::optional<Observation> not_finite(const Trace& right, const Step& step, const Tensor& yours);

} // namespace tfx
