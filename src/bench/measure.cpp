#include "bench/measure.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <fstream>
#include <malloc.h>
#include <string>

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

namespace {

/// VmRSS or VmHWM, in bytes.
std::size_t status(const std::string& wanted) {
  std::ifstream file("/proc/self/status");
  std::string key, rest;
  while (file >> key) {
    std::size_t kilobytes = 0;
    if (key == wanted && file >> kilobytes) return kilobytes * 1024;
    std::getline(file, rest);
  }
  return 0;
}

/// The high-water mark falls to what is resident now. → false where the system does not allow it.
bool forget_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

} // namespace

std::size_t memory_taken(const std::function<void()>& work) {
#ifdef __GLIBC__
  malloc_trim(0); // what is free but kept would hide what is taken
#endif
  const bool counts = forget_peak();
  const std::size_t before = status("VmRSS:");
  work();
  const std::size_t peak = status("VmHWM:");
  return counts && peak > before ? peak - before : 0;
}

} // namespace tfx::bench
