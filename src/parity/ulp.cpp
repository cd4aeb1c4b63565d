#include "parity/ulp.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

struct Format {
  int digits;            ///< of the significand in bits, the leading one included
  int smallest_exponent; ///< of a normal number
  int largest_exponent;
};

Format format_of(DType dtype) {
  switch (dtype) {
  case DType::f16: return {11, -14, 15};
  case DType::bf16: return {8, -126, 127};
  case DType::f32: return {24, -126, 127};
  default: return {53, -1022, 1023};
  }
}

/// The place of |x| among the numbers of the format: 0 is 0, 1 the smallest subnormal number.
std::uint64_t place(double x, const Format& format) {
  const std::uint64_t a_power = std::uint64_t{1} << (format.digits - 1); // numbers between two powers of 2
  const auto exponents = static_cast<std::uint64_t>(format.largest_exponent - format.smallest_exponent + 1);
  const std::uint64_t infinity = (exponents + 1) * a_power;
  if (std::isinf(x)) return infinity;
  const int exponent = x == 0 ? format.smallest_exponent : std::max(std::ilogb(x), format.smallest_exponent);
  if (exponent > format.largest_exponent) return infinity;
  // In [0, 2^digits]: a subnormal number has less than 2^(digits−1), rounding may reach the next power.
  const double steps = std::nearbyint(std::ldexp(x, format.digits - 1 - exponent));
  const auto before = static_cast<std::uint64_t>(exponent - format.smallest_exponent) * a_power;
  return std::min(before + static_cast<std::uint64_t>(steps), infinity);
}

} // namespace

bool is_floating(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
}

DType narrower(DType a, DType b) {
  return format_of(a).digits <= format_of(b).digits ? a : b;
}

std::uint64_t ulp_distance(double a, double b, DType dtype) {
  const Format format = format_of(dtype);
  const std::uint64_t of_a = place(std::abs(a), format), of_b = place(std::abs(b), format);
  if (std::signbit(a) != std::signbit(b)) return of_a + of_b;
  return of_a > of_b ? of_a - of_b : of_b - of_a;
}

} // namespace tfx
