#include "core/stopwatch.hpp"

#include <algorithm>
#include <cassert>

namespace tfx {

namespace {

thread_local double carried_seconds = 0;

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

double carrying_seconds() {
  return carried_seconds;
}

Carrying::~Carrying() {
  carried_seconds += watch_.seconds();
}

} // namespace tfx
