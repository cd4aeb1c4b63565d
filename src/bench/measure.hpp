#pragma once
// How long a piece of work takes: warmed up and run several times. The median and the quartiles describe it
// (core/stopwatch.hpp): a mean would be pulled up by every other program that wanted the processor for a
// moment.

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

} // namespace tfx::bench
