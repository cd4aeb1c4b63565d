#pragma once
// The figures of a run of `tfx bench`, before anybody has written them down.

#include "bench/case.hpp"
#include "bench/ladder.hpp"
#include "bench/limits.hpp"
#include "bench/work.hpp"
#include "core/machine.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

/// One piece of work, compared and then perhaps timed.
struct BenchResult {
  bench::WorkPreset what;
  bench::Work work;
  bench::Agreement agreement;
  std::optional<bench::Figure> figure; ///< none where it disagrees, or nobody asked
};

struct BenchRun {
  Machine machine;
  std::optional<bench::MachineLimits> limits; ///< the highest of the run; none where nothing is timed
  std::vector<BenchResult> results;

  std::vector<std::string> disturbed() const {
    std::vector<std::string> names;
    for (const BenchResult& one : results)
      if (one.figure && one.figure->disturbed) names.push_back(one.what.name);
    return names;
  }

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

  /// Every rung, those of the growth behind them.
  std::vector<const bench::Climbed*> climbed() const {
    std::vector<const bench::Climbed*> all;
    for (const bench::Climbed& one : rungs) all.push_back(&one);
    for (const bench::Grown& one : growth) all.insert(all.end(), {&one.whole, &one.fused});
    return all;
  }

  std::vector<std::string> disturbed() const {
    std::vector<std::string> names;
    const auto add = [&](const bench::Climbed& one, const std::string& where) {
      if (one.figure && one.figure->disturbed) names.push_back(one.id + where);
    };
    for (const bench::Climbed& one : rungs) add(one, "");
    for (const bench::Grown& one : growth)
      for (const bench::Climbed* way : {&one.whole, &one.fused}) add(*way, " n=" + std::to_string(one.n));
    return names;
  }

  bool agrees() const {
    return std::ranges::all_of(climbed(), [](const bench::Climbed* one) { return one->equal; });
  }
};

} // namespace tfx
