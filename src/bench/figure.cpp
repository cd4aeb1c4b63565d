#include "bench/figure.hpp"

#include <algorithm>

namespace tfx::bench {

MachineLimits limits_for(const Work& work) {
  return {fma_peak(), work.bytes > 0 ? read_bandwidth() : 0};
}

Figure figure_of(const std::function<void()>& run, const Work& work, const Repeats& repeats,
                 const MeasureLimits& limits) {
  constexpr std::size_t max_tries = 3;
  constexpr double most_apart = 1.1;
  Figure best;
  double least_apart = 0;
  MachineLimits before = limits();
  for (std::size_t tries = 1; tries <= max_tries; ++tries) {
    Figure figure{timing_of(measure(run, repeats)), {}, tries};
    const MachineLimits after = limits();
    figure.limits = better(before, after);
    const double apart = figure.limits.flops / std::min(before.flops, after.flops);
    figure.disturbed = apart > most_apart || figure.share_of_peak(work) > 1;
    if (!figure.disturbed) return figure;
    if (tries == 1 || apart < least_apart) best = figure, least_apart = apart;
    best.tries = tries;
    before = after;
  }
  return best;
}

} // namespace tfx::bench
