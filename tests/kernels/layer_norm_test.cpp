#include "kernels/layer_norm.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

#include <limits>
#include <vector>

using namespace tfx;

namespace {

constexpr Norm all_norms[] = {Norm::annotated, Norm::layer, Norm::rms};

/// Deviations of a column and what they are divided by.
struct NormOfColumn {
  std::vector<long double> c;
  long double squares = 0, divisor = 0;
};

template <class Real>
NormOfColumn norm_by_hand(const Real* x, std::size_t n, const NormRule& rule) {
  NormOfColumn result;
  const auto size = static_cast<long double>(n);
  long double mean = 0;
  if (rule.norm != Norm::rms)
    for (std::size_t i = 0; i < n; ++i) mean += x[i] / size;
  for (std::size_t i = 0; i < n; ++i) {
    result.c.push_back(x[i] - mean);
    result.squares += result.c[i] * result.c[i];
  }
  result.divisor = rule.norm == Norm::annotated ? std::sqrt(result.squares / (size - 1)) + rule.epsilon
                                                : std::sqrt(result.squares / size + rule.epsilon);
  return result;
}

/// A block within a larger matrix, whose other cells nobody may touch.
template <class Real>
struct NormBlock {
  arma::Mat<Real> room;
  std::size_t rows, cols;

  NormBlock(RandomInput& random, std::size_t n_rows, std::size_t n_cols)
      : room(random_matrix<Real>(random, n_rows + 3, n_cols + 1)), rows(n_rows), cols(n_cols) {}
  MatrixView<Real> here() { return view(room).block(2, rows, 1, cols); }
  arma::Col<Real> token(std::size_t j) { return {here().column(j), rows}; }
};

/// Sizes of a token: none, one, around the vectors of every instruction set, more than lanes take at once.
constexpr std::size_t token_sizes[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 600};

} // namespace

TEMPLATE_TEST_CASE("norms equal their definitions, with gain and shift or without", "[kernels]", float,
                   double) {
  for_each_isa([] {
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
      RandomInput random(seed);
      const std::size_t d = token_sizes[random.size(0, 17)], n = random.size(0, 5);
      const NormRule rule{all_norms[seed % 3], seed % 2 ? 1e-5 : 0.3};
      NormBlock<TestType> x(random, d, n), y(random, d, n);
      if (rule.norm != Norm::rms && seed % 4 == 0) x.room += 100; // a mean that a sum in float would lose
      const auto gamma = random_matrix<TestType>(random, d, 1), beta = random_matrix<TestType>(random, d, 1);
      const NormParameters<TestType> parameters{random.coin() ? gamma.memptr() : nullptr,
                                                random.coin() ? beta.memptr() : nullptr};
      arma::Mat<TestType> expected = y.room;
      for (std::size_t j = 0; j < n; ++j) {
        const NormOfColumn found = norm_by_hand<TestType>(x.here().column(j), d, rule);
        for (std::size_t i = 0; i < d; ++i)
          expected(i + 2, j + 1) =
              static_cast<TestType>((parameters.gamma ? gamma[i] : 1) * found.c[i] / found.divisor +
                                    (parameters.beta ? beta[i] : 0));
      }
      INFO("seed " << seed << ", " << d << " numbers a token");
      layer_norm<TestType>(y.here(), x.here(), parameters, rule);
      CHECK(worst_difference(y.room, expected) <= kernel_bound<TestType>);
      layer_norm<TestType>(x.here(), x.here(), parameters, rule); // in place
      for (std::size_t j = 0; j < n; ++j) CHECK(worst_difference(x.token(j), y.token(j)) == 0);
    }
  });
}

TEMPLATE_TEST_CASE("norms' gradients equal their definitions, and reach what is wanted alone",
                   "[kernels][gradient]", float, double) {
  for_each_isa([] {
    for (std::uint32_t seed = 0; seed < 120; ++seed) {
      RandomInput random(seed);
      const NormRule rule{all_norms[seed % 3], seed % 2 ? 1e-5 : 0.3};
      const std::size_t d = token_sizes[random.size(rule.norm == Norm::annotated ? 2 : 0, 17)],
                        n = random.size(0, 5);
      NormBlock<TestType> x(random, d, n), dy(random, d, n), dx(random, d, n);
      const auto gamma = random_matrix<TestType>(random, d, 1);
      const bool gain = random.coin();
      arma::Mat<TestType> sums = random_matrix<TestType>(random, d, 2);
      arma::mat expected_sums = arma::conv_to<arma::mat>::from(sums),
                expected = arma::conv_to<arma::mat>::from(dx.room);
      const bool wants_gamma = random.coin(), wants_beta = random.coin();
      for (std::size_t j = 0; j < n; ++j) {
        const NormOfColumn found = norm_by_hand<TestType>(x.here().column(j), d, rule);
        const long double D = found.divisor, size = static_cast<long double>(d);
        long double mean = 0, along = 0;
        const auto g = [&](std::size_t i) {
          return (gain ? static_cast<long double>(gamma[i]) : 1) * dy.here()(i, j);
        };
        for (std::size_t i = 0; i < d; ++i) {
          if (rule.norm != Norm::rms) mean += g(i) / size;
          along += g(i) * found.c[i];
        }
        const long double bend = rule.norm == Norm::annotated
                                     ? D * D * std::sqrt(found.squares / (size - 1)) * (size - 1)
                                     : D * D * D * size;
        for (std::size_t i = 0; i < d; ++i) {
          expected(i + 2, j + 1) += static_cast<double>((g(i) - mean) / D);
          if (found.squares > 0) expected(i + 2, j + 1) -= static_cast<double>(found.c[i] * along / bend);
          if (wants_gamma) expected_sums(i, 0) += static_cast<double>(dy.here()(i, j) * found.c[i] / D);
          if (wants_beta) expected_sums(i, 1) += static_cast<double>(dy.here()(i, j));
        }
      }
      layer_norm_backward<TestType>(
          dx.here(), {wants_gamma ? sums.memptr() : nullptr, wants_beta ? sums.memptr() + d : nullptr},
          dy.here(), x.here(), gain ? gamma.memptr() : nullptr, rule);
      INFO("seed " << seed << ", " << d << " numbers a token");
      // Tokens of two or three numbers may be nearly equal: what is divided by their spread is as large.
      CHECK(worst_difference(dx.room, expected) <= (d < 4 ? 1e3 : 1) * kernel_bound<TestType>);
      CHECK(worst_difference(sums, expected_sums) <= kernel_bound<TestType>);
    }
  });
}

TEST_CASE("a token of equal numbers becomes beta, by the rules that subtract its mean", "[kernels]") {
  const arma::mat x(4, 1, arma::fill::value(7)), gamma(4, 1, arma::fill::ones), beta = arma::regspace(1, 4);
  arma::mat y(4, 1);
  for (const Norm norm : {Norm::annotated, Norm::layer}) {
    layer_norm(view(y), view(x), {gamma.memptr(), beta.memptr()}, NormRule{norm});
    CHECK(worst_difference(y, beta) == 0);
  }
}

TEST_CASE("RMSNorm by hand: its divisor is the root of the mean square", "[kernels][gradient]") {
  // x = (1, 7): (1 + 49)/2 = 25, and ε = 11 makes it 36: D = 6.
  const arma::mat x = arma::vec{1, 7};
  const double gamma[] = {6, 12}, beta[] = {0, 1};
  arma::mat y(2, 1);
  const NormRule rule{Norm::rms, 11};
  layer_norm(view(y), view(x), {gamma, beta}, rule);
  CHECK(worst_difference(y, arma::mat(arma::vec{1, 15})) <= 1e-15);
  layer_norm(view(y), view(x), {}, rule);
  CHECK(worst_difference(y, arma::mat(arma::vec{1.0 / 6, 7.0 / 6})) <= 1e-15);
  // dy = (1, 0): g = (6, 0), Σ(g·x) = 6, D³·n = 432: dx = (6/6 − 6/432, −42/432), dγ = (1/6, 0).
  const arma::mat dy = arma::vec{1, 0};
  arma::mat dx = arma::vec{100, 200};
  double d_gamma[] = {5, 5}, d_beta[] = {5, 5};
  layer_norm_backward<double>(view(dx), {d_gamma, d_beta}, view(dy), view(x), gamma, rule);
  CHECK(worst_difference(dx, arma::mat(arma::vec{101 - 6.0 / 432, 200 - 42.0 / 432})) <= 1e-15);
  CHECK(std::abs(d_gamma[0] - (5 + 1.0 / 6)) <= 1e-15);
  CHECK((d_gamma[1] == 5 && d_beta[0] == 6 && d_beta[1] == 5));
}

TEST_CASE("each kind of norm has its usual ε", "[kernels]") {
  CHECK(NormRule{}.epsilon == 1e-6);
  CHECK(NormRule{Norm::annotated}.epsilon == 1e-6);
  CHECK(NormRule{Norm::layer}.epsilon == 1e-5);
  CHECK(NormRule{Norm::rms}.epsilon == 1e-5);
}

TEST_CASE("RMSNorm of floats of any size: 1e-6 of each number", "[kernels][accuracy]") {
  for_each_isa([] {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
      RandomInput random(seed);
      const std::size_t d = random.size(1, 3000);
      auto x = random_matrix<float>(random, d, 1);
      for (float& cell : x) cell *= static_cast<float>(std::exp(random.number(seed % 20))); // e^±19 apart
      const NormRule rule{Norm::rms, seed % 3 ? 1e-5 : 0};
      const NormOfColumn found = norm_by_hand<float>(x.memptr(), d, rule);
      arma::fmat y(d, 1);
      layer_norm(view(y), view(x), {}, rule);
      double worst = 0;
      for (std::size_t i = 0; i < d; ++i) {
        const long double expected = found.c[i] / found.divisor;
        worst = std::max(worst, static_cast<double>(std::abs(y[i] - expected) / std::abs(expected)));
      }
      INFO("seed " << seed << ", " << d << " numbers");
      CHECK(worst <= 1e-6);
    }
  });
}
