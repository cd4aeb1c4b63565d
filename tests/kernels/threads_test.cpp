// Elementwise kernels on ragged shapes: with every instruction set as by a plain loop, with two threads as
// with one.

#include "kernels/activation.hpp"
#include "kernels/cross_entropy.hpp"
#include "kernels/elementwise.hpp"
#include "kernels/embedding.hpp"
#include "layers/forward_context.hpp"
#include "layers/position_wise.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

using namespace tfx;

namespace {

/// Rows around the widths of vectors and of blocks.
constexpr std::size_t ragged[] = {1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 80, 255, 257, 600};

/// What `compute` gives with one thread, compared with two threads bit for bit.
template <class Compute>
auto same_with_two_threads(const Compute& compute) {
  const auto one = compute();
  const ThreadCount threads(2);
  CHECK(arma::all(arma::vectorise(one == compute())));
  return one;
}

} // namespace

TEMPLATE_TEST_CASE("sums over tokens are a plain loop's, whatever the shape", "[kernels]", float, double) {
  for_each_isa([] {
    for (const std::size_t rows : ragged)
      for (const std::size_t cols : {0, 1, 15, 16, 17, 700}) {
        RandomInput random(static_cast<std::uint32_t>(rows + cols));
        const auto x = random_matrix<TestType>(random, rows, cols);
        const arma::Col<TestType> start(rows, arma::fill::value(3));
        const auto sums = same_with_two_threads([&] {
          arma::Col<TestType> total = start;
          add_row_sums<TestType>(total.memptr(), view(x));
          return total;
        });
        const arma::vec expected = arma::sum(arma::conv_to<arma::mat>::from(x), 1) + 3;
        CHECK(worst_difference(sums, expected) <=
              (sizeof(TestType) == 4 ? 3e-6 : 1e-14) * (1 + std::sqrt(cols)));
      }
  });
}

TEMPLATE_TEST_CASE("sums of squares, additions, factors are a plain loop's", "[kernels]", float, double) {
  for_each_isa([] {
    for (const std::size_t rows : ragged) {
      RandomInput random(static_cast<std::uint32_t>(rows));
      const auto x = random_matrix<TestType>(random, rows, 40), y = random_matrix<TestType>(random, rows, 40);
      const double squares = arma::accu(arma::square(arma::conv_to<arma::mat>::from(x)));
      CHECK(sum_of_squares(x.memptr(), x.n_elem) ==
            Approx(squares).epsilon(sizeof(TestType) == 4 ? 1e-6 : 1e-14));
      const auto sum = same_with_two_threads([&] {
        arma::Mat<TestType> z = y;
        add(view(z), view(x));
        scale(view(z), 3);
        return z;
      });
      CHECK(worst_difference(sum, arma::Mat<TestType>((y + x) * TestType(3))) == 0);
    }
  });
}

TEST_CASE("the gradient of a norm's parameters does not depend on the threads", "[kernels]") {
  for_each_isa([] {
    for (const std::size_t n : {1, 63, 64, 65, 300}) {
      RandomInput random(static_cast<std::uint32_t>(n));
      const std::size_t d = 83;
      const auto x = random_matrix<float>(random, d, n), dy = random_matrix<float>(random, d, n),
                 past = random_matrix<float>(random, d, n);
      const arma::mat xs = arma::conv_to<arma::mat>::from(x), d_out = arma::conv_to<arma::mat>::from(dy);
      Normalization<float> norm(d);
      norm.gamma = random_matrix<float>(random, d, 1);
      const auto all = same_with_two_threads([&] {
        Normalization<float> gradient(d);
        gradient.gamma.zeros();
        arma::fmat dx = past;
        add_backward<float>(dx, {norm, gradient}, x, dy, {Norm::layer});
        return arma::fmat(arma::join_rows(dx, gradient.gamma, gradient.beta));
      });
      // The same in double, one token after the other.
      Normalization<double> exact(d), exact_gradient(d);
      exact.gamma = arma::conv_to<arma::vec>::from(norm.gamma);
      exact_gradient.gamma.zeros();
      arma::mat dx = arma::conv_to<arma::mat>::from(past);
      for (std::size_t j = 0; j < n; ++j) {
        const arma::mat token = xs.col(j), slope = d_out.col(j);
        arma::mat back = dx.col(j);
        add_backward<double>(back, {exact, exact_gradient}, token, slope, {Norm::layer});
        dx.col(j) = back;
      }
      CHECK(worst_difference(all.cols(0, n - 1).eval(), dx) <= 1e-5);
      CHECK(worst_difference(all.cols(n, n + 1).eval(),
                             arma::mat(arma::join_rows(exact_gradient.gamma, exact_gradient.beta))) <= 1e-5);
    }
  });
}

TEMPLATE_TEST_CASE("the loss of large vocabularies and ragged ones", "[kernels]", float, double) {
  for_each_isa([] {
    for (const std::size_t vocab : {3, 11, 16, 17, 300, 4099})
      for (const double epsilon : {0.0, 0.1}) {
        RandomInput random(static_cast<std::uint32_t>(vocab));
        const auto x = random_matrix<TestType>(random, vocab, 4, 20);
        const std::vector<std::uint32_t> labels{1, 2, 0, static_cast<std::uint32_t>(vocab - 1)};
        arma::Mat<TestType> gradient = x;
        std::vector<double> losses(4);
        cross_entropy(losses.data(), view(gradient), labels.data(), {epsilon, 0}, 0.5);
        for (std::size_t j = 0; j < 4; ++j) {
          const arma::vec logits = arma::conv_to<arma::vec>::from(x.col(j));
          const arma::vec p = arma::exp(logits - logits.max()) / arma::accu(arma::exp(logits - logits.max()));
          arma::vec t(vocab, arma::fill::value(epsilon / (static_cast<double>(vocab) - 2)));
          t(0) = 0, t(labels[j]) = 1 - epsilon;
          if (labels[j] == 0) t.zeros();
          double loss = 0;
          for (std::size_t i = 0; i < vocab; ++i)
            if (t(i) > 0) loss += t(i) * (std::log(t(i)) - std::log(p(i)));
          CHECK(losses[j] ==
                Approx(loss).epsilon(kernel_bound<TestType> / 10).margin(kernel_bound<TestType> / 10));
          const arma::vec slope = labels[j] == 0 ? t : arma::vec((p - t) / 2);
          CHECK(worst_difference(gradient.col(j).eval(), slope) <= kernel_bound<TestType> / 10);
        }
      }
  });
}

TEST_CASE("dropout by any instruction set and number of threads is the same", "[kernels][random]") {
  const TrainingMode training{7, 3, 0.3};
  const ForwardContext<float> context{nullptr, &training, "encoder"};
  RandomInput random(4);
  const auto x = random_matrix<float>(random, 83, 57), base = random_matrix<float>(random, 83, 57);
  std::vector<arma::fmat> results;
  for_each_isa([&] {
    results.push_back(same_with_two_threads([&] {
      arma::fmat dropped(83, 57), sum = base;
      drop(context, dropped, x);
      add_dropped(context, sum, sum, x);
      CHECK(worst_difference(sum, arma::fmat(base + dropped)) == 0);
      return dropped;
    }));
  });
  for (const arma::fmat& one : results) CHECK(worst_difference(one, results[0]) == 0);
  const double share = static_cast<double>(arma::accu(results[0] == 0)) / static_cast<double>(x.n_elem);
  CHECK(std::abs(share - 0.3) < 0.03);
}

TEST_CASE("tokens' gradients add up the same with two threads", "[kernels]") {
  RandomInput random(6);
  const auto dy = random_matrix<float>(random, 83, 300);
  std::vector<std::uint32_t> ids(300);
  for (auto& id : ids) id = static_cast<std::uint32_t>(random.size(0, 4));
  const auto table = same_with_two_threads([&] {
    arma::fmat d(83, 5, arma::fill::ones);
    embed_backward<float>(view(d), view(dy), ids.data(), std::sqrt(83.0F));
    return d;
  });
  arma::mat expected(83, 5, arma::fill::ones);
  for (std::size_t t = 0; t < 300; ++t)
    expected.col(ids[t]) += std::sqrt(83.0) * arma::conv_to<arma::mat>::from(dy.col(t));
  CHECK(worst_difference(table, expected) <= 1e-4);
}
