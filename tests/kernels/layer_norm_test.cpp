#include "kernels/layer_norm.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

using namespace tfx;

TEMPLATE_TEST_CASE("both norms equal their definitions", "[kernels]", float, double) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    RandomInput random(seed);
    const std::size_t d = random.size(2, 70), n = random.size(0, 9);
    auto x = random_matrix<TestType>(random, d, n);
    if (seed % 4 == 0) x += 100; // a mean that a sum in float would lose
    const auto gamma = random_matrix<TestType>(random, d, 1), beta = random_matrix<TestType>(random, d, 1);
    for (const Norm rule : {Norm::annotated, Norm::layer}) {
      arma::Mat<TestType> y(d, n);
      layer_norm(view(y), view(x), {gamma.memptr(), beta.memptr()}, rule);
      for (std::size_t j = 0; j < n; ++j) {
        long double mean = 0, squares = 0;
        for (const TestType cell : x.col(j)) mean += cell;
        mean /= d;
        for (const TestType cell : x.col(j)) squares += (cell - mean) * (cell - mean);
        const long double spread =
            rule == Norm::annotated ? std::sqrt(squares / (d - 1)) + 1e-6L : std::sqrt(squares / d + 1e-5L);
        for (std::size_t i = 0; i < d; ++i) {
          const long double expected = gamma[i] * (x(i, j) - mean) / spread + beta[i];
          CHECK(std::abs(y(i, j) - expected) <= kernel_bound<TestType> * std::max(1.0L, std::abs(expected)));
        }
      }
      layer_norm(view(x), view(std::as_const(x)), {gamma.memptr(), beta.memptr()}, rule); // in place
      CHECK(worst_difference(x, y) == 0);
    }
  }
}

TEST_CASE("a token of equal numbers becomes beta, by both rules", "[kernels]") {
  const arma::mat x(4, 1, arma::fill::value(7)), gamma(4, 1, arma::fill::ones), beta = arma::regspace(1, 4);
  arma::mat y(4, 1);
  for (const Norm rule : {Norm::annotated, Norm::layer}) {
    layer_norm(view(y), view(x), {gamma.memptr(), beta.memptr()}, rule);
    CHECK(worst_difference(y, beta) == 0);
  }
}
