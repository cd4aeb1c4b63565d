#include "bench/limits.hpp"

#include <algorithm>

namespace tfx::bench {

MachineLimits measure_limits() {
  return {fma_peak(), read_bandwidth()};
}

MachineLimits better(const MachineLimits& before, const MachineLimits& after) {
  return {std::max(before.flops, after.flops), std::max(before.bytes, after.bytes)};
}

} // namespace tfx::bench
