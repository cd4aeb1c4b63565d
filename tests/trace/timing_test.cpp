// A step's time beside the same Armadillo expression alone. Hidden: only a quiet machine can be asked.
//   tfx_tests "[clocks]"

#include "trace/timing.hpp"

#include "core/stopwatch.hpp"
#include "ops/ops.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace tfx;

TEST_CASE("a step takes as long as its formula alone", "[.][clocks]") {
  for (const std::size_t width : {128, 256, 512}) {
    const arma::mat X(5, width, arma::fill::randn), W(width, width, arma::fill::randn);
    const Tensor x = to_tensor(X), w = to_tensor(W);
    const Operation product = op::matmul("X", "W_Q");
    std::vector<double> ratios;
    for (int round = 0; round < 9; ++round) {
      std::vector<double> alone;
      for (int i = 0; i < 5; ++i) {
        const Stopwatch watch;
        const arma::mat Q = X * W;
        alone.push_back(watch.seconds());
      }
      std::ranges::sort(alone);
      ratios.push_back(timed({product, {&x, &w}}).seconds / alone[2]);
    }
    std::ranges::sort(ratios);
    WARN("5×" << width << "·" << width << "×" << width << ": " << ratios[4] << " times the expression alone");
    CHECK(ratios[4] < 1.5);
  }
}
