#pragma once
// A tensor from its recorded operation, by the page's formulas: what the steps back from a loss are computed
// with, and the run again with one cell moved.

#include "trace/trace.hpp"

#include <functional>

namespace tfx {

/// The tensor of that name.
using TensorNamed = std::function<const Tensor&(const std::string&)>;

/// The result of `how`, of shape `shape`. Throws Error(internal) for an operation that follows from shapes or
/// from what is given alone: masks, one-hot rows, lengths.
Tensor compute(const How& how, const Shape& shape, const TensorNamed& tensor);

Tensor split_heads(const Tensor& M, std::size_t h); ///< (…, n, h·d) → (…, h, n, d)
Tensor merge_heads(const Tensor& heads);            ///< (…, h, n, d) → (…, n, h·d)

} // namespace tfx
