#include "parity/rounding.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

double rounding_bound(const ModelSpec& spec, std::size_t tokens) {
  const auto root = [](std::size_t n) { return std::sqrt(static_cast<double>(n)); };
  const double width = root(spec.d_model);
  const double attention =
      4 * width + root(spec.d_model / spec.heads) + root(tokens); // Q K V, W_O; scores; mixture
  const double feed_forward = width + root(spec.d_ff), norm = width;
  const double encoder_layer = attention + feed_forward + 2 * norm,
               decoder_layer = encoder_layer + attention + norm;
  const double sums = static_cast<double>(spec.layers) * (encoder_layer + decoder_layer) + 2 * norm + width;
  constexpr double largest = 9e-5;
  return std::min(largest, 2 * sums * std::ldexp(1.0, -24));
}

double difference_to_largest(const Tensor& a, const Tensor& b) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (a.shape != b.shape) return infinity;
  double apart = 0, largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double x = a.data[i], y = b.data[i];
    if (std::isfinite(x) != std::isfinite(y)) return infinity;
    if (!std::isfinite(x)) continue;
    apart = std::max(apart, std::abs(x - y)), largest = std::max(largest, std::abs(y));
  }
  return apart == 0 ? 0 : apart / largest;
}

} // namespace tfx
