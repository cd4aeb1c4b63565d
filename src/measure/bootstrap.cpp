#include "measure/bootstrap.hpp"

#include "core/progress.hpp"
#include "random/stream.hpp"

#include <algorithm>

namespace tfx {

namespace {

PairCounts drawn_sum(const std::vector<PairCounts>& pairs, std::uint64_t seed, std::size_t draw) {
  RandomStream stream(seed, stream_number("bootstrap"), draw);
  PairCounts sum;
  for (std::size_t i = 0; i < pairs.size(); ++i)
    sum += pairs[static_cast<std::size_t>(stream.uniform(i) * static_cast<double>(pairs.size()))];
  return sum;
}

} // namespace

Intervals bootstrap(const std::vector<PairCounts>& pairs, std::size_t draws, std::uint64_t seed) {
  std::vector<Measures> drawn;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    tell_progress("bootstrap", {draw + 1, draws});
    drawn.push_back(measures_of(drawn_sum(pairs, seed, draw)));
  }
  constexpr std::size_t one_in = 40; // 2.5 in 100, at either end
  const std::size_t left_out = draws / one_in;
  Intervals intervals;
  for (const auto measure :
       {&Measures::exact, &Measures::bleu, &Measures::chrf, &Measures::loss, &Measures::perplexity}) {
    std::ranges::sort(drawn, {}, measure);
    intervals.low.*measure = drawn[left_out].*measure;
    intervals.high.*measure = drawn[draws - 1 - left_out].*measure;
  }
  return intervals;
}

} // namespace tfx
