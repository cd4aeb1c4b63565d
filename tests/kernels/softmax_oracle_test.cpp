#include "kernels/softmax.hpp"

#include "kernels/cross_entropy.hpp"
#include "page/formulas.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/hard_rows.hpp"

#include <cstdio>

using namespace tfx;

namespace {

/// The worst of many rows: a CHECK a cell would take longer than the rows.
struct WorstOfRows {
  long double difference = 0, sum = 0;
  std::size_t wrong = 0; ///< cells that are not finite, or not 0 where they must be

  void meet(long double actual, long double expected, long double unit) {
    if (!std::isfinite(actual)) ++wrong;
    difference = std::max(difference, std::abs(actual - expected) / unit);
  }
};

/// Weights are ≤ 1, so that their relative error is their absolute one.
template <class Real>
constexpr long double bound = sizeof(Real) == sizeof(float) ? 1e-6L : 1e-14L;

template <class Real>
void compare_weights(const Real* weights, std::size_t stride, const std::vector<Real>& row,
                     const std::vector<bool>& seen, WorstOfRows& worst) {
  const LogSum log(row.size(), [&](std::size_t i) {
    return seen[i] ? static_cast<long double>(row[i]) : -std::numeric_limits<long double>::infinity();
  });
  long double sum = 0;
  for (std::size_t i = 0; i < row.size(); ++i) {
    const long double weight = weights[i * stride];
    const bool hidden = !seen[i] || log.empty();
    if (hidden && weight != 0) ++worst.wrong;
    worst.meet(weight, hidden ? 0 : std::exp(log(row[i])), 1);
    sum += weight;
  }
  if (!log.empty()) worst.sum = std::max(worst.sum, std::abs(sum - 1) / static_cast<long double>(row.size()));
}

/// The engine on so many rows: softmax with a mask, log-softmax and the loss.
template <class Real>
void engine_on(std::size_t rows) {
  RandomInput random(20261121);
  WorstOfRows weights, logs, losses;
  for (std::size_t i = 0; i < rows; ++i) {
    const std::size_t n = random.size(1, 40);
    const std::vector<Real> row = hard_row<Real>(random, n);
    std::vector<std::uint8_t> valid(n, 1);
    if (random.coin())
      for (auto& key : valid) key = random.size(0, 4) > 0;
    const std::vector<bool> seen(valid.begin(), valid.end());
    arma::Mat<Real> x(row.data(), n, 1);
    softmax(view(x), AttentionMask{valid.data()});
    compare_weights(x.memptr(), 1, row, seen, weights);

    const LogSum log(n, [&](std::size_t k) { return static_cast<long double>(row[k]); });
    if (log.empty()) continue;
    arma::Mat<Real> y(row.data(), n, 1);
    log_softmax(view(y), view(std::as_const(y)));
    for (std::size_t k = 0; k < n; ++k) {
      const long double expected = log(row[k]), largest = std::numeric_limits<Real>::max();
      if (expected < -largest) { // beyond what a cell can hold
        if (y(k, 0) > -largest / 2) ++logs.wrong;
      } else {
        logs.meet(y(k, 0), expected, std::max(1.0L, std::abs(expected)));
      }
    }
    const auto label = static_cast<std::uint32_t>(random.size(0, n - 1));
    const long double expected = -log(row[label]);
    if (expected > 1e30L) continue; // a loss without bound: its label is impossible
    arma::Mat<Real> z(row.data(), n, 1);
    double loss = 0;
    cross_entropy(&loss, view(z), &label, {0, static_cast<std::uint32_t>(n)}, 1.0);
    losses.meet(loss, expected, std::max(1.0L, expected));
  }
  INFO("weights " << weights.difference << ", sum " << weights.sum << ", logs " << logs.difference
                  << ", losses " << losses.difference);
  CHECK(weights.wrong == 0);
  CHECK(weights.difference <= bound<Real>);
  CHECK(weights.sum <= (sizeof(Real) == sizeof(float) ? 1e-6L : 1e-12L));
  CHECK(logs.wrong == 0);
  CHECK(logs.difference <= bound<Real>);
  CHECK(losses.wrong == 0);
  CHECK(losses.difference <= bound<Real>);
}

/// The page's formula, many rows at a time.
void page_on(std::size_t rows) {
  RandomInput random(20261122);
  WorstOfRows worst;
  for (std::size_t done = 0; done < rows;) {
    const std::size_t n = random.size(1, 40), together = 50;
    std::vector<std::vector<double>> table;
    arma::mat S(together, n);
    for (std::size_t i = 0; i < together; ++i) {
      table.push_back(hard_row<double>(random, n));
      for (std::size_t j = 0; j < n; ++j) S(i, j) = table[i][j];
    }
    const arma::mat weights = page::softmax(S, 0).weights;
    for (std::size_t i = 0; i < together; ++i)
      compare_weights(weights.memptr() + i, together, table[i], std::vector<bool>(n, true), worst);
    done += together;
  }
  INFO("weights " << worst.difference << ", sum " << worst.sum);
  CHECK(worst.wrong == 0);
  CHECK(worst.difference <= bound<double>);
  CHECK(worst.sum <= 1e-12L);
}

constexpr std::size_t some = 10'000, many = 1'000'000;

} // namespace

TEST_CASE("softmax, log-softmax and loss on hard rows against long double", "[kernels][softmax]") {
  engine_on<float>(some);
  engine_on<double>(some);
  page_on(some);
}

TEST_CASE("softmax, log-softmax and loss on a million hard rows against long double", "[.][extended]") {
  engine_on<float>(many);
  engine_on<double>(many);
  page_on(many);
  std::printf("count rows of softmax against long double, engine and page each %zu\n", many);
}

TEMPLATE_TEST_CASE("NaN and +∞ among hard rows spoil their own column", "[kernels][softmax]", float, double) {
  RandomInput random(3);
  for (std::size_t i = 0; i < 1000; ++i) {
    const std::size_t n = random.size(1, 40), bad = random.size(0, n - 1);
    arma::Mat<TestType> x(n, 3);
    for (arma::uword j = 0; j < 3; ++j) x.col(j) = arma::Col<TestType>(hard_row<TestType>(random, n));
    x(bad, 1) = random.coin() ? std::numeric_limits<TestType>::quiet_NaN()
                              : std::numeric_limits<TestType>::infinity();
    softmax(view(x));
    CHECK(x.col(0).is_finite());
    CHECK(arma::all(arma::Col<TestType>(x.col(1)) != arma::Col<TestType>(x.col(1))));
    CHECK(x.col(2).is_finite());
  }
}
