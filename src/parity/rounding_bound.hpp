#pragma once
// What rounding may leave between two ways to compute a whole model in float32.

#include "core/tensor.hpp"
#include "model/config.hpp"

namespace tfx {

/// Relative to a tensor's largest cell, for targets and sources of at most `tokens`. A sum of n products in
/// float32 is off by about √n·2⁻²⁴ of what it adds up, and a pass makes its sums one after the other: twice
/// the total of their √n. At most 9e-5, so that a cell that is off by 1e-4 of the largest is always found.
double rounding_bound(const Config& config, std::size_t tokens);

/// The largest |a − b|, relative to the largest finite |b|; infinity where the shapes differ, or a cell is
/// finite in one alone.
double difference_to_largest(const Tensor& a, const Tensor& b);

} // namespace tfx
