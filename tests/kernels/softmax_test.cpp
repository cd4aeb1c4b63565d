#include "kernels/softmax.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

#include <limits>

using namespace tfx;

namespace {

/// The definition in long double, over what may be seen.
template <class Real>
arma::Mat<Real> softmax_by_hand(const arma::Mat<Real>& x, const AttentionMask& visible) {
  arma::Mat<Real> y(x.n_rows, x.n_cols, arma::fill::zeros);
  for (std::size_t j = 0; j < x.n_cols; ++j) {
    long double max = -HUGE_VALL, sum = 0;
    for (std::size_t i = 0; i < x.n_rows; ++i)
      if (visible(i, j)) max = std::max(max, static_cast<long double>(x(i, j)));
    for (std::size_t i = 0; i < x.n_rows; ++i)
      if (visible(i, j)) sum += std::exp(static_cast<long double>(x(i, j)) - max);
    for (std::size_t i = 0; i < x.n_rows; ++i)
      if (visible(i, j)) y(i, j) = static_cast<Real>(std::exp(static_cast<long double>(x(i, j)) - max) / sum);
  }
  return y;
}

} // namespace

TEMPLATE_TEST_CASE("softmax equals its definition over what may be seen", "[kernels]", float, double) {
  for (std::uint32_t seed = 0; seed < 100; ++seed) {
    RandomInput random(seed);
    const std::size_t keys = random.size(1, 70), queries = random.size(1, 40);
    auto x = random_matrix<TestType>(random, keys, queries, seed % 2 ? 3 : 60);
    std::vector<std::uint8_t> valid(keys);
    for (auto& key : valid) key = random.size(0, 3) > 0;
    const AttentionMask visible{random.coin() ? valid.data() : nullptr,
                                random.coin() ? Mask::causal : Mask::none, random.size(0, 5),
                                random.coin() ? 0 : random.size(1, 40)};
    const auto expected = softmax_by_hand(x, visible);
    softmax(view(x), visible);
    INFO("seed " << seed);
    CHECK(worst_difference(x, expected) <= kernel_bound<TestType> / 10);
    for (std::size_t j = 0; j < queries; ++j) {
      const double sum = arma::accu(arma::conv_to<arma::vec>::from(x.col(j)));
      const double bound = sizeof(TestType) == 4 ? 1e-6 : 1e-15;
      CHECK((sum == 0 || std::abs(sum - 1) <= bound * static_cast<double>(keys)));
      for (std::size_t i = 0; i < keys; ++i)
        if (!visible(i, j)) CHECK(x(i, j) == 0);
    }
  }
}

TEMPLATE_TEST_CASE("a query that sees no key has weights 0", "[kernels]", float, double) {
  const std::vector<std::uint8_t> nobody(4, 0);
  arma::Mat<TestType> x(4, 3, arma::fill::randu);
  softmax(view(x), AttentionMask{nobody.data()});
  CHECK(arma::all(arma::vectorise(x) == 0));
  x.fill(-std::numeric_limits<TestType>::infinity());
  softmax(view(x));
  CHECK(arma::all(arma::vectorise(x) == 0));
}

TEMPLATE_TEST_CASE("softmax stays finite up to the largest numbers", "[kernels]", float, double) {
  const TestType huge = std::numeric_limits<TestType>::max() / 2;
  arma::Mat<TestType> x{{huge, -huge}, {-huge, -huge}, {huge, huge}};
  softmax(view(x));
  CHECK(x(0, 0) == TestType(0.5));
  CHECK(x(1, 0) == 0);
  CHECK(x(2, 0) == TestType(0.5));
  CHECK(x(2, 1) == 1);
}

TEMPLATE_TEST_CASE("NaN and +∞ show in their own column, if they may be seen", "[kernels]", float, double) {
  const TestType nan = std::numeric_limits<TestType>::quiet_NaN(),
                 inf = std::numeric_limits<TestType>::infinity();
  arma::Mat<TestType> x{{1, 1, nan, 1}, {nan, 2, nan, inf}, {3, nan, nan, 3}};
  softmax(view(x), AttentionMask{nullptr, Mask::causal, 1}); // columns see 2, 3, 3, 3 keys
  CHECK(x.col(0).has_nan());
  CHECK(x(2, 0) == 0);
  for (std::size_t j = 1; j < 4; ++j)
    for (std::size_t i = 0; i < 3; ++i) CHECK(std::isnan(x(i, j)));
  arma::Mat<TestType> past{{nan, inf}, {1, 3}, {nan, 3}};
  softmax(view(past), AttentionMask{nullptr, Mask::causal, 1, 1}); // columns see key 1, key 2
  CHECK((past(0, 0) == 0 && past(1, 0) == 1 && past(2, 0) == 0));
  CHECK((past(0, 1) == 0 && past(1, 1) == 0 && past(2, 1) == 1));
  arma::Col<TestType> hidden{1, nan};
  softmax(MatrixView<TestType>(hidden.memptr(), 2, 1), AttentionMask{nullptr, Mask::causal});
  CHECK(hidden(0, 0) == 1);
  CHECK(hidden(1, 0) == 0);
}

TEMPLATE_TEST_CASE("log-softmax equals its definition and is finite where softmax is 0", "[kernels]", float,
                   double) {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    RandomInput random(seed);
    const auto x =
        random_matrix<TestType>(random, random.size(1, 200), random.size(1, 9), seed % 2 ? 3 : 300);
    arma::Mat<TestType> y(x.n_rows, x.n_cols);
    log_softmax(view(y), view(x));
    for (std::size_t j = 0; j < x.n_cols; ++j) {
      long double max = x.col(j).max(), sum = 0;
      for (const TestType cell : x.col(j)) sum += std::exp(static_cast<long double>(cell) - max);
      for (std::size_t i = 0; i < x.n_rows; ++i) {
        const long double expected = x(i, j) - max - std::log(sum);
        CHECK(std::abs(y(i, j) - expected) <=
              kernel_bound<TestType> / 10 * std::max(1.0L, std::abs(expected)));
      }
    }
    arma::Mat<TestType> in_place = x;
    log_softmax(view(in_place), view(std::as_const(in_place)));
    CHECK(worst_difference(in_place, y) == 0);
  }
}
