#include "measure/bootstrap.hpp"

#include "support/catch.hpp"

#include <cmath>

using namespace tfx;

namespace {

/// So many pairs, of which the first `right` are answered exactly.
std::vector<PairCounts> answered(std::size_t pairs, std::size_t right) {
  std::vector<PairCounts> counts;
  for (std::size_t i = 0; i < pairs; ++i) {
    counts.push_back(compare_pair(i < right ? "a b c d e" : "a b c d x", "a b c d e"));
    counts.back().loss = i < right ? 1 : 2, counts.back().loss_tokens = 1;
  }
  return counts;
}

} // namespace

TEST_CASE("pairs that are all alike leave no doubt", "[translation]") {
  const Intervals intervals = bootstrap(answered(7, 7), 100, 0);
  CHECK(intervals.low.bleu == intervals.high.bleu);
  CHECK(intervals.low.exact == 100);
  CHECK(intervals.high.perplexity == Approx(std::exp(1.)));
}

TEST_CASE("the interval of a share is the binomial one", "[translation]") {
  // 400 pairs, half of them right: two standard deviations are 5 in 100
  const auto pairs = answered(400, 200);
  const Intervals intervals = bootstrap(pairs, 2000, 3);
  CHECK(intervals.low.exact == Approx(45).margin(0.6));
  CHECK(intervals.high.exact == Approx(55).margin(0.6));
  CHECK(intervals.low.loss == Approx(1.45).margin(0.006));
  PairCounts sum;
  for (const PairCounts& pair : pairs) sum += pair;
  const Measures measures = measures_of(sum);
  for (const auto measure : {&Measures::exact, &Measures::bleu, &Measures::chrf, &Measures::perplexity}) {
    CHECK(intervals.low.*measure < measures.*measure);
    CHECK(measures.*measure < intervals.high.*measure);
  }
}

TEST_CASE("an interval is a function of the seed", "[translation]") {
  const auto pairs = answered(30, 11);
  const Intervals one = bootstrap(pairs, 50, 1), again = bootstrap(pairs, 50, 1),
                  other = bootstrap(pairs, 50, 2);
  CHECK(one.low.loss == again.low.loss);
  CHECK(one.high.chrf == again.high.chrf);
  CHECK((one.low.loss != other.low.loss || one.high.loss != other.high.loss));
}

TEST_CASE("a fortieth of the draws is left out at either end", "[translation]") {
  // With 39 draws none is: the ends are the extremes of the same first draws, no two of which have one loss.
  auto pairs = answered(10, 5);
  for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i].loss = std::sqrt(static_cast<double>(i + 2));
  const Intervals few = bootstrap(pairs, 39, 4), many = bootstrap(pairs, 40, 4);
  CHECK(few.low.loss < many.low.loss);
  CHECK(few.high.loss > many.high.loss);
  CHECK(bootstrap(pairs, 1, 4).low.exact == bootstrap(pairs, 1, 4).high.exact);
}
