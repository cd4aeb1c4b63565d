#pragma once
// The figures of a run of `tfx bench`, before anybody has written them down.

#include "bench/case.hpp"
#include "bench/ladder.hpp"
#include "bench/limits.hpp"
#include "bench/presets.hpp"
#include "core/machine.hpp"

#include <cstdint>
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
};

struct LadderRun {
  Machine machine;
  std::optional<bench::MachineLimits> limits;
  bench::AttentionShape shape;
  bench::Work work;
  std::vector<bench::Climbed> rungs;
  std::vector<bench::Grown> growth; ///< empty where nothing is timed
};

/// The work of a preset with drawn weights and ids.
bench::Case make_case(const bench::WorkPreset& preset, std::uint32_t seed);

/// Whether everything that was compared agrees.
bool all_agree(const BenchRun& run);
bool all_agree(const LadderRun& run);

} // namespace tfx
