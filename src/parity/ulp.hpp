#pragma once
// How many numbers of a type lie between two of its numbers: units in the last place.

#include "io/array.hpp"

#include <cstdint>

namespace tfx {

/// Whether the type has units in the last place: float16, bfloat16, float32, float64.
bool is_floating(DType dtype);

/// The one of two floating types with fewer digits.
DType narrower(DType a, DType b);

/// Steps of `dtype` from a to b, both rounded to it first; infinity is one step behind the largest number,
/// and +0 and −0 are the same. Neither may be NaN. Source: as numpy.testing.assert_array_max_ulp counts.
std::uint64_t ulp_distance(double a, double b, DType dtype);

} // namespace tfx
