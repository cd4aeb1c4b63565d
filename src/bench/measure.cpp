#include "bench/measure.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tfx::bench {

namespace {

double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

} // namespace

std::vector<double> measure(const std::function<void()>& work, const Repeats& repeats) {
  for (std::size_t i = 0; i < repeats.warmup; ++i) work();
  std::vector<double> seconds;
  const Stopwatch all;
  const auto goes_on = [&] {
    if (repeats.runs) return seconds.size() < *repeats.runs;
    if (seconds.size() < repeats.min_runs) return true;
    return seconds.size() < repeats.max_runs && all.seconds() < repeats.seconds;
  };
  while (goes_on()) {
    const Stopwatch one;
    work();
    seconds.push_back(one.seconds());
  }
  return seconds;
}

Timing timing_of(std::vector<double> seconds) {
  assert(!seconds.empty());
  std::ranges::sort(seconds);
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return {quantile_of(seconds, 0.5), quantile_of(seconds, 0.25), quantile_of(seconds, 0.75),
          sum / static_cast<double>(seconds.size()), seconds.size()};
}

} // namespace tfx::bench
