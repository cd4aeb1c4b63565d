#pragma once
// How far rounding moves numbers: how many numbers of a type lie between two (units in the last place), and
// what float32 may leave between two ways to compute a whole model.

#include "core/tensor.hpp"
#include "io/array.hpp"
#include "model/model_spec.hpp"

#include <cstdint>

namespace tfx {

/// Whether the type has units in the last place: float16, bfloat16, float32, float64.
bool is_floating(DType dtype);

/// The one of two floating types with fewer digits.
DType narrower(DType a, DType b);

/// Steps of `dtype` from a to b, both rounded to it first; infinity is one step behind the largest number,
/// and +0 and −0 are the same. Neither may be NaN. Source: as numpy.testing.assert_array_max_ulp counts.
std::uint64_t ulp_distance(double a, double b, DType dtype);

/// Relative to a tensor's largest cell, for targets and sources of at most `tokens`. A sum of n products in
/// float32 is off by about √n·2⁻²⁴ of what it adds up, and a pass makes its sums one after the other: twice
/// the total of their √n. At most 9e-5, so that a cell that is off by 1e-4 of the largest is always found.
double rounding_bound(const ModelSpec& spec, std::size_t tokens);

/// The largest |a − b|, relative to the largest finite |b|; infinity where the shapes differ, or a cell is
/// finite in one alone.
double difference_to_largest(const Tensor& a, const Tensor& b);

} // namespace tfx
