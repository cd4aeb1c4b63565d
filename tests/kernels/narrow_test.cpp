#include "kernels/gemm.hpp"

#include "support/catch.hpp"
#include "support/engine.hpp"

#include <cmath>
#include <limits>

using namespace tfx;

namespace {

NarrowMatrix narrow_row(const arma::fvec& row, WeightType type) {
  const arma::fmat weight(row);
  return {view(weight), type};
}

/// What the narrow numbers stand for.
arma::fmat widened(const NarrowMatrix& narrow) {
  arma::fmat weight(narrow.depth(), narrow.rows());
  for (std::size_t row = 0; row < narrow.rows(); ++row)
    for (std::size_t k = 0; k < narrow.depth(); ++k) weight(k, row) = narrow(row, k);
  return weight;
}

} // namespace

TEST_CASE("bf16 is the nearest number with seven bits of fraction", "[kernels]") {
  const float infinity = std::numeric_limits<float>::infinity();
  // Between 1 and 2 they lie 2⁻⁷ apart; halfway goes to the even one. Below 2⁻¹²⁶ they lie 2⁻¹³³ apart.
  const arma::fvec row{1, 1 + 1.0F / 256, 1 + 3.0F / 256, 1 + 1.01F / 256, -3.14159265F, infinity, 1e-40F};
  const NarrowMatrix narrow = narrow_row(row, WeightType::bf16);
  CHECK(narrow(0, 0) == 1);
  CHECK(narrow(0, 1) == 1);
  CHECK(narrow(0, 2) == 1 + 4.0F / 256);
  CHECK(narrow(0, 3) == 1 + 2.0F / 256);
  CHECK(narrow(0, 4) == -3.140625F);
  CHECK(narrow(0, 5) == infinity);
  CHECK(std::abs(narrow(0, 6) - 1e-40F) <= std::ldexp(1.0F, -134));
  CHECK(narrow.bytes() == 7 * 2);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(std::isnan(narrow_row({nan}, WeightType::bf16)(0, 0)));
}

TEST_CASE("int8 divides a row by its largest number over 127", "[kernels]") {
  const NarrowMatrix narrow = narrow_row({0.5F, -1.27F, 0.014F, 0.016F, 0}, WeightType::int8);
  CHECK(std::abs(narrow.scale(0) - 0.01F) < 1e-8F);
  CHECK(narrow.int8_row(0)[0] == 50);
  CHECK(narrow.int8_row(0)[1] == -127);
  CHECK(narrow.int8_row(0)[2] == 1);
  CHECK(narrow.int8_row(0)[3] == 2);
  CHECK(narrow.int8_row(0)[4] == 0);
  CHECK(narrow.bytes() == 5 + 4);

  // 190·2⁻¹⁴⁹ / 127 is 1.496·2⁻¹⁴⁹, which only 2⁻¹⁴⁹ can stand for: 190 of it, but q ends at 127.
  const float tiny = std::ldexp(190.0F, -149);
  const NarrowMatrix tiny_row = narrow_row({tiny, -tiny}, WeightType::int8);
  CHECK(tiny_row.int8_row(0)[0] == 127);
  CHECK(tiny_row.int8_row(0)[1] == -127);

  const NarrowMatrix zeros = narrow_row({0, 0}, WeightType::int8);
  CHECK(zeros(0, 0) == 0);
  const float infinity = std::numeric_limits<float>::infinity();
  CHECK(std::isnan(narrow_row({1, infinity}, WeightType::int8)(0, 0)));
}

TEST_CASE("narrow numbers are as near as their type allows", "[kernels]") {
  for (std::uint32_t seed = 0; seed < 50; ++seed) {
    RandomInput random(seed);
    const arma::fmat weight = random_matrix<float>(random, random.size(1, 40), random.size(1, 20));
    const arma::fmat bf16 = widened({view(weight), WeightType::bf16}),
                     int8 = widened({view(weight), WeightType::int8});
    CHECK(arma::all(arma::vectorise(arma::abs(bf16 - weight) <= arma::abs(weight) / 256)));
    for (std::size_t row = 0; row < weight.n_cols; ++row) {
      const float half_a_step = arma::abs(weight.col(row)).max() / 127 / 2;
      CHECK(arma::abs(int8.col(row) - weight.col(row)).max() <= half_a_step * 1.00001F);
    }
  }
}

TEST_CASE("a product with narrow weights is that with what they stand for, whatever the threads",
          "[kernels]") {
  for_each_isa([&] {
    for (std::uint32_t seed = 0; seed < 60; ++seed) {
      RandomInput random(seed);
      const bool large = seed % 8 == 7; // long enough for threads
      const std::size_t k = random.size(1, large ? 900 : 90), rows = random.size(1, large ? 400 : 40),
                        cols = random.size(1, 14); // up to 12 are few
      const WeightType type = random.coin() ? WeightType::bf16 : WeightType::int8;
      const arma::fmat weight = random_matrix<float>(random, k, rows),
                       b = random_matrix<float>(random, k, cols),
                       bias = random_matrix<float>(random, rows, 1);
      const NarrowMatrix narrow(view(weight), type);
      const arma::fmat wide = widened(narrow);
      arma::fmat expected = wide.t() * b, one(rows, cols), two(rows, cols);
      expected.each_col() += bias.col(0);
      const auto run = [&](arma::fmat& c, std::size_t count) {
        const ThreadCount these(count);
        const ProductWithBias<float> product{view(c), transposed(view(wide)), bias.memptr(), &narrow};
        gemm_with_bias(std::span(&product, 1), plain(view(b)));
      };
      run(one, 1), run(two, 2);
      INFO(rows << "×" << k << "×" << cols << " seed " << seed);
      CHECK(worst_difference(one, arma::conv_to<arma::mat>::from(expected)) <= kernel_bound<float> * 10);
      CHECK(arma::all(arma::vectorise(one == two)));
    }
  });
}
