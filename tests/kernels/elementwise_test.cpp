#include "kernels/elementwise.hpp"

#include "kernels/activation.hpp"
#include "kernels/embedding.hpp"
#include "kernels/positional.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <numbers>

using namespace tfx;

TEMPLATE_TEST_CASE("activations equal their definitions", "[kernels]", float, double) {
  RandomInput random(1);
  auto x = random_matrix<TestType>(random, 30, 40, 8);
  x(0, 0) = 0, x(1, 0) = -30, x(2, 0) = 30, x(3, 0) = std::numeric_limits<TestType>::quiet_NaN();
  const auto check = [&](Activation activation, auto definition) {
    auto y = x;
    activate<TestType>(view(y), view(x), activation);
    arma::Mat<TestType> expected = x;
    for (TestType& cell : expected) cell = static_cast<TestType>(definition(static_cast<long double>(cell)));
    CHECK(worst_difference(y, expected) <= kernel_bound<TestType> / 10);
  };
  const long double pi = std::numbers::pi_v<long double>;
  check(Activation::relu, [](long double v) { return v < 0 ? 0 : v; });
  check(Activation::squared_relu, [](long double v) { return v < 0 ? 0 : v * v; });
  check(Activation::silu, [](long double v) { return v / (1 + std::exp(-v)); });
  check(Activation::gelu, [](long double v) { return v * std::erfc(-v / std::sqrt(2.0L)) / 2; });
  check(Activation::gelu_tanh, [&](long double v) {
    return v / 2 * (1 + std::tanh(std::sqrt(2 / pi) * (v + 0.044715L * v * v * v)));
  });
}

TEMPLATE_TEST_CASE("gelu keeps its digits far below zero", "[kernels]", float, double) {
  arma::Mat<TestType> x(1, 1, arma::fill::value(-6));
  activate<TestType>(view(x), view(x), Activation::gelu);
  // −6·Φ(−6), by Python's math.erfc
  CHECK(x(0, 0) == Approx(-5.919525870226207e-09).epsilon(sizeof(TestType) == 4 ? 1e-5 : 1e-12));
}

TEMPLATE_TEST_CASE("sums and copies reach the block they are given, and no further", "[kernels]", float,
                   double) {
  RandomInput random(2);
  const auto x = random_matrix<TestType>(random, 3, 4), before = random_matrix<TestType>(random, 5, 6);
  const auto bias = random_matrix<TestType>(random, 3, 1);
  arma::Mat<TestType> y = before, expected = before;
  add(view(y).block(1, 3, 2, 4), view(x));
  expected.submat(1, 2, 3, 5) += x;
  CHECK(worst_difference(y, expected) == 0);
  add_bias(view(y).block(1, 3, 2, 4), bias.memptr());
  expected.submat(1, 2, 3, 5).each_col() += arma::Col<TestType>(bias);
  CHECK(worst_difference(y, expected) == 0);
  copy(view(y).block(1, 3, 2, 4), view(x));
  expected.submat(1, 2, 3, 5) = x;
  CHECK(worst_difference(y, expected) == 0);
}

TEMPLATE_TEST_CASE("a token is its row of the table times a scale", "[kernels]", float, double) {
  RandomInput random(3);
  const auto table = random_matrix<TestType>(random, 9, 5);
  const std::vector<std::uint32_t> ids{4, 0, 4, 2};
  arma::Mat<TestType> y(9, ids.size());
  embed(view(y), view(table), ids.data(), TestType(3));
  for (std::size_t t = 0; t < ids.size(); ++t)
    CHECK(worst_difference(y.col(t).eval(), (table.col(ids[t]) * TestType(3)).eval()) == 0);
}

TEST_CASE("positions are sines and cosines whose wavelengths grow from 2π to 10000·2π", "[kernels]") {
  for (std::size_t d : {1, 2, 7, 16}) {
    arma::mat table(d, 50), later(d, 10);
    sinusoidal_positions(view(table));
    sinusoidal_positions(view(later), 40);
    for (std::size_t p = 0; p < 50; ++p)
      for (std::size_t i = 0; i < d; ++i) {
        const double angle = static_cast<double>(p) /
                             std::pow(10000.0, static_cast<double>(i / 2 * 2) / static_cast<double>(d));
        CHECK(table(i, p) == Approx(i % 2 ? std::cos(angle) : std::sin(angle)).margin(1e-13));
      }
    CHECK(worst_difference(later, table.cols(40, 49).eval()) == 0);
  }
}

TEMPLATE_TEST_CASE("dropout keeps by the place and divides by 1 − p", "[kernels]", float, double) {
  arma::Mat<TestType> y(4, 5, arma::fill::ones);
  std::vector<std::uint64_t> asked;
  drop(
      view(y).block(1, 2, 1, 3), 0.75,
      [&](std::uint64_t begin, std::size_t count, std::uint16_t* numbers) {
        for (std::size_t i = 0; i < count; ++i) {
          asked.push_back(begin + i);
          numbers[i] = (begin + i) % 2 ? 49152 : 49151; // ¾ of 2¹⁶, and one less
        }
      },
      10);
  CHECK(asked == std::vector<std::uint64_t>{10, 11, 12, 13, 14, 15});
  arma::Mat<TestType> expected(4, 5, arma::fill::ones);
  expected.submat(1, 1, 1, 3).zeros();
  expected.submat(2, 1, 2, 3).fill(4);
  CHECK(worst_difference(y, expected) == 0);
}
