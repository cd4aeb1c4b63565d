#include "bench/measure.hpp"

#include "support/catch.hpp"

#include <vector>

using namespace tfx::bench;

namespace {

/// Peaks as they are measured, one after another.
Figure with_peaks(const std::vector<double>& peaks, const Work& work = {1, 0, 0}) {
  std::size_t measured = 0;
  const Figure figure = figure_of([] {}, work, {0, 2},
                                  [&] {
                                    return MachineLimits{peaks.at(measured++), 0};
                                  });
  CHECK(measured == peaks.size());
  return figure;
}

} // namespace

TEST_CASE("a figure is held against the higher of the peaks around it", "[bench][figure]") {
  const Figure figure = with_peaks({1e12, 1.05e12});
  CHECK(figure.limits.flops == 1.05e12);
  CHECK(figure.tries == 1);
  CHECK_FALSE(figure.disturbed);
  CHECK(figure.timing.runs == 2);
}

TEST_CASE("a figure whose peak moved is taken again", "[bench][figure]") {
  const Figure figure = with_peaks({1e12, 2e12, 2e12}); // the peak after one try is the one before the next
  CHECK(figure.limits.flops == 2e12);
  CHECK(figure.tries == 2);
  CHECK_FALSE(figure.disturbed);
}

TEST_CASE("a figure that is disturbed three times says so, and the calmest try counts", "[bench][figure]") {
  const Figure figure = with_peaks({1e12, 2e12, 1.6e12, 3e12});
  CHECK(figure.limits.flops == 2e12); // 2 and 1.6, not 1 and 2, nor 1.6 and 3
  CHECK(figure.tries == 3);
  CHECK(figure.disturbed);
}

TEST_CASE("work that passes the peak was disturbed", "[bench][figure]") {
  CHECK(with_peaks({1, 1, 1, 1}, {1e30, 0, 0}).disturbed); // 131 % of the peak was shown once
}
