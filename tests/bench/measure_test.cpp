#include "bench/measure.hpp"

#include "support/catch.hpp"

using namespace tfx::bench;

TEST_CASE("median and quartiles are np.percentile's", "[bench][measure]") {
  const Timing odd = timing_of({5, 1, 4, 2, 3});
  CHECK(odd.median == 3);
  CHECK(odd.q1 == 2);
  CHECK(odd.q3 == 4);
  CHECK(odd.runs == 5);

  const Timing even = timing_of({4, 1, 3, 2}); // np.percentile([4, 1, 3, 2], [25, 50, 75])
  CHECK(even.q1 == 1.75);
  CHECK(even.median == 2.5);
  CHECK(even.q3 == 3.25);

  const Timing one = timing_of({7});
  CHECK(one.q1 == 7);
  CHECK(one.median == 7);
  CHECK(one.q3 == 7);
}

TEST_CASE("one disturbed run moves the mean, not the median", "[bench][measure]") {
  const Timing timing = timing_of({1, 1, 1, 1, 96});
  CHECK(timing.mean == 20);
  CHECK(timing.median == 1);
}

TEST_CASE("work is warmed up, then run as often as was asked", "[bench][measure]") {
  std::size_t runs = 0;
  const auto work = [&] { ++runs; };
  CHECK(measure(work, {3, 7}).size() == 7);
  CHECK(runs == 10);
}

TEST_CASE("without a number of runs the time decides, between min_runs and max_runs", "[bench][measure]") {
  const auto nothing = [] {};
  CHECK(measure(nothing, {0, {}, 0, 4, 9}).size() == 4);    // no time at all: the least
  CHECK(measure(nothing, {0, {}, 1000, 4, 9}).size() == 9); // more than enough: the most
}
