#include "core/stopwatch.hpp"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace tfx {

namespace {

thread_local double carried_seconds = 0;

double quantile_of(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

} // namespace

void ModuleTimes::mark(const std::string& part, Pass pass) {
  auto found =
      std::find_if(parts_.begin(), parts_.end(), [&](const PartTime& one) { return one.part == part; });
  if (found == parts_.end()) found = parts_.insert(found, {part});
  (pass == Pass::forward ? found->forward : found->backward) += watch_.seconds();
  watch_ = {};
}

double median_of(std::vector<double> seconds) {
  assert(!seconds.empty());
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

Timing& Timing::operator+=(const Timing& next) {
  const std::size_t fewer =
      runs == 0 || next.runs == 0 ? std::max(runs, next.runs) : std::min(runs, next.runs);
  *this = {median + next.median, q1 + next.q1, q3 + next.q3, mean + next.mean, fewer};
  return *this;
}

Timing timing_of(std::vector<double> seconds) {
  assert(!seconds.empty());
  std::ranges::sort(seconds);
  const double sum = std::accumulate(seconds.begin(), seconds.end(), 0.0);
  return {quantile_of(seconds, 0.5), quantile_of(seconds, 0.25), quantile_of(seconds, 0.75),
          sum / static_cast<double>(seconds.size()), seconds.size()};
}

double carrying_seconds() {
  return carried_seconds;
}

Carrying::~Carrying() {
  carried_seconds += watch_.seconds();
}

} // namespace tfx
