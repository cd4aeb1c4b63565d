#pragma once
// How long a piece of work takes, and how much memory. It is warmed up and run several times, and the median
// and the quartiles describe it (core/stopwatch.hpp): a mean would be pulled up by every other program. A
// figure is taken between two measurements of the machine's limits, because clocks and neighbours change
// within seconds.

#include "bench/limits.hpp"
#include "bench/work.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

namespace tfx::bench {

/// How often. Without `runs` as many as fit into `seconds`, but at least min_runs and at most max_runs.
struct Repeats {
  std::size_t warmup = 2;
  std::optional<std::size_t> runs = {};
  double seconds = 1;
  std::size_t min_runs = 5, max_runs = 200;
};

/// Seconds of every run after the warm-up, in order.
std::vector<double> measure(const std::function<void()>& work, const Repeats& repeats);

struct Figure {
  Timing timing;
  MachineLimits limits; ///< the higher of before and after: the share of a limit is never flattered
  std::size_t tries = 1;
  bool disturbed = false; ///< in every try

  double flops_per_second(const Work& work) const { return work.flops / timing.median; }
  double share_of_peak(const Work& work) const { return flops_per_second(work) / limits.flops; }
};

/// What the machine can do at this moment.
using MeasureLimits = std::function<MachineLimits()>;

/// The limits that the work is held against: reads only where it is they that bound it, else 0.
MachineLimits limits_for(const Work& work);

/// Times `run`, which does `work`, between two measurements. A try is disturbed where the peak before and
/// after differs by more than a tenth, or the work was faster than both; then it is made again, three times
/// at most, and the least disturbed one counts. The bandwidth is no witness: on a virtual machine it doubles
/// and halves from one tenth of a second to the next.
Figure figure_of(const std::function<void()>& run, const Work& work, const Repeats& repeats,
                 const MeasureLimits& limits);

/// The most bytes that were resident while `work` ran, less those before: as Linux counts, in whole memory
/// pages.
/// Memory that an earlier run has kept is not taken again and not counted. 0 where the system does not count.
std::size_t memory_taken(const std::function<void()>& work);

} // namespace tfx::bench
