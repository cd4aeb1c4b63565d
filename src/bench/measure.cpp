#include "bench/measure.hpp"

#include "core/stopwatch.hpp"

namespace tfx::bench {

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

} // namespace tfx::bench
