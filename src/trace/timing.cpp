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
  return {std::move(value), std::max(0.0, whole - (carrying_seconds() - carried)), 1};
}

} // namespace

TimedTensor timed(const Arguments& arguments, double& spare_seconds) {
  constexpr std::size_t least_runs = 3;
  constexpr double enough = 5e-5; // seconds: for those that take less than a clock can see
  const Stopwatch first;
  TimedTensor result = once(arguments);
  if (first.seconds() * least_runs > spare_seconds) return result;
  std::vector<double> runs;
  const Stopwatch spent;
  while (runs.size() < least_runs || spent.seconds() < enough) runs.push_back(once(arguments).seconds);
  spare_seconds -= spent.seconds();
  result.runs = runs.size();
  result.seconds = median_of(std::move(runs));
  return result;
}

} // namespace tfx
