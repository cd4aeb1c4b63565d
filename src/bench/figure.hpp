#pragma once
// The time of a piece of work between two measurements of the machine's limits. Clocks and neighbours change
// within seconds: beside a peak of another moment, work has seemed to do more than the machine can.

#include "bench/limits.hpp"
#include "bench/measure.hpp"
#include "bench/work.hpp"

#include <functional>

namespace tfx::bench {

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

} // namespace tfx::bench
