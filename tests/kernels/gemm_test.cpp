#include "kernels/gemm.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

#include <limits>

using namespace tfx;

namespace {

/// alpha·op(a)·op(b) + beta·c, a cell at a time.
template <class Real>
arma::mat product_by_hand(const arma::Mat<Real>& a, Transpose op_a, const arma::Mat<Real>& b, Transpose op_b,
                          const arma::Mat<Real>& c, double alpha, double beta) {
  arma::mat result(c.n_rows, c.n_cols);
  const std::size_t k = op_a == Transpose::no ? a.n_cols : a.n_rows;
  for (std::size_t i = 0; i < c.n_rows; ++i)
    for (std::size_t j = 0; j < c.n_cols; ++j) {
      long double sum = 0;
      for (std::size_t l = 0; l < k; ++l)
        sum += static_cast<long double>(op_a == Transpose::no ? a(i, l) : a(l, i)) *
               static_cast<long double>(op_b == Transpose::no ? b(l, j) : b(j, l));
      result(i, j) = static_cast<double>(alpha * sum + (beta == 0 ? 0 : beta * c(i, j)));
    }
  return result;
}

} // namespace

TEMPLATE_TEST_CASE("a product equals its definition, whatever the shape, the transposes and the threads",
                   "[kernels]", float, double) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    RandomInput random(seed);
    const ThreadCount these(1 + seed % 3);
    const bool large = seed % 10 == 9; // long enough for threads
    const std::size_t m = random.size(0, large ? 130 : 40), n = random.size(0, large ? 300 : 40),
                      k = random.size(0, large ? 90 : 40);
    const Transpose op_a = random.coin() ? Transpose::no : Transpose::yes,
                    op_b = random.coin() ? Transpose::no : Transpose::yes;
    const auto a =
        op_a == Transpose::no ? random_matrix<TestType>(random, m, k) : random_matrix<TestType>(random, k, m);
    const auto b =
        op_b == Transpose::no ? random_matrix<TestType>(random, k, n) : random_matrix<TestType>(random, n, k);
    auto c = random_matrix<TestType>(random, m, n);
    const TestType alpha = random.coin() ? 1 : TestType(0.5), beta = random.coin() ? 0 : TestType(-2);
    const auto expected = product_by_hand(a, op_a, b, op_b, c, alpha, beta);
    gemm(view(c), {view(std::as_const(a)), op_a}, {view(std::as_const(b)), op_b}, alpha, beta);
    INFO(m << "×" << k << "×" << n << " seed " << seed);
    CHECK(worst_difference(c, expected) <=
          kernel_bound<TestType> * 10); // sums of up to 90 products of up to 4
  }
}

TEMPLATE_TEST_CASE("a product equals that of BLAS at every edge of its blocks, with one thread and with two",
                   "[kernels]", float, double) {
  // Tiles of 6 or 12 columns, panels of 4 to 64 rows, few columns, blocks of 96 columns, 128 rows and 512 of
  // the depth.
  const std::size_t rows[] = {1, 3, 4, 5, 8, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 257};
  const std::size_t cols[] = {1, 2, 3, 5, 6, 7, 11, 12, 13, 24, 95, 96, 97, 193};
  const std::size_t depths[] = {1, 2, 15, 16, 17, 64, 511, 512, 513, 1030};
  for_each_isa([&] {
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
      RandomInput random(seed);
      const std::size_t m = rows[random.size(0, 18)], n = cols[random.size(0, 13)],
                        k = depths[random.size(0, 9)];
      const bool plain_a = random.coin(), plain_b = random.coin(), onto = random.coin(),
                 biased = random.coin();
      const auto a = random_matrix<TestType>(random, plain_a ? m : k, plain_a ? k : m),
                 b = random_matrix<TestType>(random, plain_b ? k : n, plain_b ? n : k);
      const GemmOperand<TestType> op_a = plain_a ? plain(view(a)) : transposed(view(a)),
                                  op_b = plain_b ? plain(view(b)) : transposed(view(b));
      const auto start = random_matrix<TestType>(random, m, n), bias = random_matrix<TestType>(random, m, 1);
      arma::Mat<TestType> expected = start, one = start, two = start;
      if (biased) expected.each_col() = bias.col(0);
      blas_gemm(view(expected), op_a, op_b, 1, onto || biased ? 1 : 0);
      const auto run = [&](arma::Mat<TestType>& c, std::size_t count) {
        const ThreadCount these(count);
        if (biased)
          gemm_with_bias(view(c), op_a, op_b, bias.memptr());
        else
          gemm(view(c), op_a, op_b, 1, onto ? 1 : 0);
      };
      run(one, 1), run(two, 2);
      INFO(m << "×" << k << "×" << n << " seed " << seed);
      CHECK(worst_difference(one, expected) <= kernel_bound<TestType> * 10);
      CHECK(arma::all(arma::vectorise(one == two)));
    }
  });
}

TEMPLATE_TEST_CASE("several products of one matrix are each their own, whatever the threads", "[kernels]",
                   float, double) {
  for_each_isa([&] {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
      RandomInput random(seed);
      const bool large = seed % 8 == 7; // long enough for threads
      const std::size_t k = random.size(0, large ? 900 : 70), cols = random.size(0, 14);
      const auto b = random_matrix<TestType>(random, k, cols);
      std::vector<arma::Mat<TestType>> weights, biases, alone, together;
      for (std::size_t i = random.size(0, 4); i-- > 0;) {
        const std::size_t rows = random.size(0, large ? 300 : 40);
        weights.push_back(random_matrix<TestType>(random, k, rows));
        biases.push_back(random_matrix<TestType>(random, rows, 1));
        alone.emplace_back(rows, cols), together.emplace_back(rows, cols);
      }
      std::vector<ProductWithBias<TestType>> products;
      std::uint64_t macs = 0;
      for (std::size_t i = 0; i < weights.size(); ++i) {
        const TestType* const bias = i % 2 ? nullptr : biases[i].memptr();
        const ThreadCount one(1);
        gemm_with_bias(view(alone[i]), transposed(view(weights[i])), plain(view(b)), bias);
        products.push_back({view(together[i]), transposed(view(std::as_const(weights[i]))), bias});
        macs += weights[i].n_cols * k * cols;
      }
      const ThreadCount these(1 + seed % 3);
      reset_executed_macs();
      gemm_with_bias(std::span<const ProductWithBias<TestType>>(products), plain(view(b)));
      CHECK(executed_macs() == macs);
      for (std::size_t i = 0; i < weights.size(); ++i) {
        INFO("product " << i << " seed " << seed);
        CHECK(arma::all(arma::vectorise(alone[i] == together[i])));
      }
    }
  });
}

TEMPLATE_TEST_CASE("a product writes its block alone", "[kernels]", float, double) {
  RandomInput random(1);
  const auto a = random_matrix<TestType>(random, 3, 4), b = random_matrix<TestType>(random, 4, 5);
  arma::Mat<TestType> c(7, 9, arma::fill::ones);
  gemm(view(c).block(2, 3, 1, 5), plain(view(a)), plain(view(b)));
  const arma::Mat<TestType> expected = a * b;
  CHECK(worst_difference(c.submat(2, 1, 4, 5).eval(), expected) <= kernel_bound<TestType>);
  c.submat(2, 1, 4, 5).ones();
  CHECK(arma::all(arma::vectorise(c) == 1));
}

TEMPLATE_TEST_CASE("what stood in C before does not matter with beta 0, NaN included", "[kernels]", float,
                   double) {
  RandomInput random(2);
  for (std::size_t k : {0, 3}) {
    const auto a = random_matrix<TestType>(random, 2, k), b = random_matrix<TestType>(random, k, 2);
    arma::Mat<TestType> c(2, 2);
    c.fill(std::numeric_limits<TestType>::quiet_NaN());
    gemm(view(c), plain(view(a)), plain(view(b)));
    CHECK(c.is_finite());
  }
}

TEST_CASE("executed multiply-adds are counted, from every thread", "[kernels]") {
  const ThreadCount two(2);
  const arma::mat a(64, 100, arma::fill::ones), b(100, 333, arma::fill::ones);
  arma::mat c(64, 333);
  reset_executed_macs();
  gemm(view(c), plain(view(a)), plain(view(b)));
  CHECK(executed_macs() == 64 * 100 * 333);
  gemm(view(c), plain(view(a)), plain(view(b)));
  CHECK(executed_macs() == 2 * 64 * 100 * 333);
  reset_executed_macs();
  CHECK(executed_macs() == 0);
}

TEMPLATE_TEST_CASE("products from several threads at once are right", "[kernels]", float, double) {
  // Small ones, one after another: threads that got the same work buffer from BLAS would spoil one in some
  // thousands.
  const ThreadCount two(2);
  RandomInput random(3);
  const auto a = random_matrix<TestType>(random, 42, 18), b = random_matrix<TestType>(random, 18, 32);
  const arma::Mat<TestType> expected = a * b;
  std::vector<double> worst(100'000, HUGE_VAL);
  parallel_for(worst.size(), [&](Slice slice) {
    arma::Mat<TestType> c(42, 32);
    for (std::size_t i = slice.begin; i < slice.end; ++i) {
      gemm(view(c), plain(view(a)), plain(view(b)));
      worst[i] = worst_difference(c, expected);
    }
  });
  CHECK(*std::max_element(worst.begin(), worst.end()) <= kernel_bound<TestType> * 10);
}
