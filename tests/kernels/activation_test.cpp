// The gate of a feed-forward layer. What the activations give by themselves, elementwise_test.cpp and
// accuracy_test.cpp hold.

#include "kernels/activation.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"
#include "support/slopes.hpp"

using namespace tfx;

namespace {

constexpr Activation all_activations[] = {Activation::relu, Activation::squared_relu, Activation::gelu,
                                          Activation::gelu_tanh, Activation::silu};

/// The same by the activation itself, then by a plain loop.
template <class Real>
arma::Mat<Real> activated_alone(const arma::Mat<Real>& x, Activation activation) {
  arma::Mat<Real> y = x;
  activate<Real>(view(y), view(x), activation);
  return y;
}
template <class Real>
arma::Mat<Real> slopes_alone(const arma::Mat<Real>& x, Activation activation) {
  arma::Mat<Real> d(arma::size(x), arma::fill::ones);
  activate_backward<Real>(view(d), view(x), activation);
  return d;
}

} // namespace

TEST_CASE("a gate by hand", "[kernels][gradient]") {
  const arma::mat a = arma::vec{-1, 2}, b = arma::vec{5, 3}, d = arma::vec{1, 10};
  arma::mat hidden(2, 1), da(2, 1), db(2, 1);
  gate<double>(view(hidden), view(a), view(b), Activation::squared_relu);
  CHECK((hidden(0) == 0 && hidden(1) == 12)); // 0·5, 2²·3
  gate_backward<double>(view(da), view(db), view(d), view(a), view(b), Activation::squared_relu);
  CHECK((da(0) == 0 && da(1) == 120)); // 10·3·(2·2)
  CHECK((db(0) == 0 && db(1) == 40));  // 10·2²
  gate<double>(view(hidden), view(a), view(b), Activation::relu);
  CHECK((hidden(0) == 0 && hidden(1) == 6));
}

TEMPLATE_TEST_CASE(
    "a gate is its activation times its other half, whatever the shape and wherever it is kept",
    "[kernels][gradient]", float, double) {
  for_each_isa([] {
    constexpr std::size_t rows[] = {0, 1, 3, 4, 7, 8, 9, 15, 16, 17, 33, 100};
    for (const Activation activation : all_activations)
      for (const std::size_t d : rows) {
        RandomInput random(static_cast<std::uint32_t>(d));
        const std::size_t n = random.size(0, 4);
        const auto a = random_matrix<TestType>(random, d, n, 8), b = random_matrix<TestType>(random, d, n),
                   gradient = random_matrix<TestType>(random, d, n);
        const arma::Mat<TestType> value = activated_alone(a, activation), slope = slopes_alone(a, activation),
                                  expected = value % b, expected_a = gradient % b % slope,
                                  expected_b = gradient % value;
        const double bound = sizeof(TestType) == 4 ? 1e-6 : 1e-15;
        // Blocks of larger matrices, whose other cells stay.
        arma::Mat<TestType> room(d + 2, 3 * n + 2, arma::fill::value(7)), wanted = room;
        const auto block = [&](std::size_t which) { return view(room).block(1, d, 1 + which * n, n); };
        const auto want = [&](std::size_t which, const arma::Mat<TestType>& cells) {
          if (!cells.is_empty()) wanted.submat(1, 1 + which * n, arma::size(cells)) = cells;
        };
        INFO("activation " << word_of(activation_words(), activation) << ", " << d << " rows");
        gate<TestType>(block(0), view(a), view(b), activation);
        gate_backward<TestType>(block(1), block(2), view(gradient), view(a), view(b), activation);
        want(0, expected), want(1, expected_a), want(2, expected_b);
        CHECK(worst_difference(room, wanted) <= bound);
        arma::Mat<TestType> in_a = a, in_b = b;
        gate<TestType>(view(in_a), view(in_a), view(b), activation);
        gate<TestType>(view(in_b), view(a), view(in_b), activation);
        CHECK(worst_difference(in_a, expected) <= bound);
        CHECK(worst_difference(in_b, expected) <= bound);
        in_a = a, in_b = b;
        gate_backward<TestType>(view(in_a), view(in_b), view(gradient), view(in_a), view(in_b), activation);
        CHECK(worst_difference(in_a, expected_a) <= bound);
        CHECK(worst_difference(in_b, expected_b) <= bound);
      }
  });
}

TEST_CASE("a gate's gradients are its slopes", "[kernels][gradient]") {
  for_each_isa([] {
    for (const Activation activation : all_activations) {
      RandomInput random(11);
      arma::mat a = random.matrix(9, 5), b = random.matrix(9, 5), da = a, db = a;
      const arma::mat R = random.matrix(9, 5);
      gate_backward<double>(view(da), view(db), view(R), view(a), view(b), activation);
      const auto loss = [&] {
        arma::mat hidden = a;
        gate<double>(view(hidden), view(a), view(b), activation);
        return arma::accu(R % hidden);
      };
      INFO("activation " << word_of(activation_words(), activation));
      CHECK(worst_slope(a, da, loss) <= slope_bound);
      CHECK(worst_slope(b, db, loss) <= slope_bound);
    }
  });
}
