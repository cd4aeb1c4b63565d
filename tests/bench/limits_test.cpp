#include "bench/limits.hpp"

#include "support/catch.hpp"

using namespace tfx;
using namespace tfx::bench;

TEST_CASE("the limits are numbers of this machine", "[bench][limits]") {
  const MachineLimits limits = measure_limits();
  CHECK(limits.flops > 1e8);
  CHECK(limits.flops < 1e15);
  CHECK(limits.bytes > 1e7);
  CHECK(limits.bytes < 1e14);
  const MachineLimits best = better({1, 5}, {2, 4});
  CHECK(best.flops == 2);
  CHECK(best.bytes == 5);
}
