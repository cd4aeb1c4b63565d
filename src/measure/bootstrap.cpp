#include "measure/bootstrap.hpp"

#include "core/progress.hpp"

#include <algorithm>
#include <utility>

namespace tfx {

Interval interval_of(std::vector<double> drawn) {
  constexpr std::size_t one_in = 40; // 2.5 in 100, at either end
  std::ranges::sort(drawn);
  const std::size_t left_out = drawn.size() / one_in;
  return {drawn[left_out], drawn[drawn.size() - 1 - left_out]};
}

Intervals bootstrap(const std::vector<PairCounts>& pairs, std::size_t draws, std::uint64_t seed) {
  std::vector<Measures> drawn;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    tell_progress("bootstrap", {draw + 1, draws});
    drawn.push_back(measures_of(drawn_sum(pairs, seed, draw)));
  }
  Intervals intervals;
  for (const auto measure :
       {&Measures::exact, &Measures::bleu, &Measures::chrf, &Measures::loss, &Measures::perplexity}) {
    std::vector<double> values;
    for (const Measures& one : drawn) values.push_back(one.*measure);
    const Interval interval = interval_of(std::move(values));
    intervals.low.*measure = interval.low, intervals.high.*measure = interval.high;
  }
  return intervals;
}

} // namespace tfx
