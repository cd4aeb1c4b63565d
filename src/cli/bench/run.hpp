#pragma once
// The figures of a run of `tfx bench`, before anybody has written them down.

#include "bench/case.hpp"
#include "bench/ladder.hpp"
#include "bench/limits.hpp"
#include "bench/presets.hpp"
#include "core/machine.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tfx {

/// One piece of work, compared and then perhaps timed.
struct BenchResult {
  bench::WorkPreset what;
  bench::Work work;
  bench::Agreement agreement;
  std::optional<bench::Timing> timing; ///< none where it disagrees, or nobody asked

  double flops_per_second() const { return timing ? work.flops / timing->median : 0; }
};

struct BenchRun {
  Machine machine;
  std::optional<bench::MachineLimits> limits; ///< none where nothing is timed
  std::vector<BenchResult> results;

  /// Whether everything that was compared does.
  bool agrees() const {
    return std::ranges::all_of(results, [](const BenchResult& one) { return one.agreement.holds(); });
  }
};

struct LadderRun {
  Machine machine;
  std::optional<bench::MachineLimits> limits;
  bench::AttentionShape shape;
  bench::Work work;
  std::vector<bench::Climbed> rungs;
  std::vector<bench::Grown> growth; ///< empty where nothing is timed

  bool agrees() const {
    return std::ranges::all_of(rungs, &bench::Climbed::equal) &&
           std::ranges::all_of(growth,
                               [](const bench::Grown& one) { return one.whole.equal && one.fused.equal; });
  }
};

} // namespace tfx
