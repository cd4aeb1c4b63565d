#include "bench/limits.hpp"

#include <algorithm>

namespace tfx::bench {

Limits measure_limits() {
  return {fma_peak(), read_bandwidth()};
}

Limits better(const Limits& before, const Limits& after) {
  return {std::max(before.flops, after.flops), std::max(before.bytes, after.bytes)};
}

} // namespace tfx::bench
