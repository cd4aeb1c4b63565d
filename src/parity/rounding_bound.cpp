#include "parity/rounding_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

double rounding_bound(const Config& config, std::size_t tokens) {
  const auto root = [](std::size_t n) { return std::sqrt(static_cast<double>(n)); };
  const double width = root(config.d_model);
  const double attention =
      4 * width + root(config.d_model / config.heads) + root(tokens); // Q K V, W_O; scores; mixture
  const double feed_forward = width + root(config.d_ff), norm = width;
  const double encoder_layer = attention + feed_forward + 2 * norm,
               decoder_layer = encoder_layer + attention + norm;
  const double sums = static_cast<double>(config.layers) * (encoder_layer + decoder_layer) + 2 * norm + width;
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
