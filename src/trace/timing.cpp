#include "trace/timing.hpp"

#include "core/stopwatch.hpp"

#include <algorithm>
#include <vector>

namespace tfx {

namespace {

TimedTensor once(const Arguments& arguments) {
  const double carried = carrying_seconds();
  const Stopwatch watch;
  Tensor value = compute(arguments);
  const double whole = watch.seconds();
  return {std::move(value), std::max(0.0, whole - (carrying_seconds() - carried))};
}

} // namespace

TimedTensor timed(const Arguments& arguments) {
  constexpr std::size_t least_runs = 3;
  constexpr double least = 5e-5, most = 2e-2; // seconds
  const Stopwatch first;
  TimedTensor result = once(arguments); // it also loads code, and touches memory for the first time
  const double one_run = first.seconds();
  std::vector<double> runs;
  for (const Stopwatch spent;
       (runs.size() < least_runs || spent.seconds() < least) && spent.seconds() + one_run < most;)
    runs.push_back(once(arguments).seconds);
  if (runs.empty()) return result;
  result.seconds = median(std::move(runs));
  return result;
}

} // namespace tfx
