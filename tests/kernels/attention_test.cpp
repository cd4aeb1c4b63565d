#include "kernels/attention.hpp"

#include "kernels/gemm.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <limits>

using namespace tfx;

namespace {

struct Expected {
  arma::mat scores, weights, out;
};

/// The definition, a query at a time; hidden keys take no part.
template <class Real>
Expected by_hand(const arma::Mat<Real>& q, const arma::Mat<Real>& k, const arma::Mat<Real>& v,
                 const Visible& visible) {
  Expected result{arma::mat(k.n_cols, q.n_cols), arma::mat(k.n_cols, q.n_cols, arma::fill::zeros),
                  arma::mat(v.n_rows, q.n_cols)};
  std::vector<long double> weights(k.n_cols);
  const long double root = std::sqrt(static_cast<long double>(q.n_rows));
  for (std::size_t j = 0; j < q.n_cols; ++j) {
    long double max = -HUGE_VAL;
    long double sum = 0;
    for (std::size_t i = 0; i < k.n_cols; ++i) {
      long double score = 0;
      for (std::size_t r = 0; r < q.n_rows; ++r)
        score += static_cast<long double>(q(r, j)) * static_cast<long double>(k(r, i));
      result.scores(i, j) = static_cast<double>(score);
      if (visible(i, j)) max = std::max(max, result.scores(i, j) / root);
    }
    for (std::size_t i = 0; i < k.n_cols; ++i)
      sum += weights[i] = visible(i, j) ? std::exp(result.scores(i, j) / root - max) : 0;
    for (std::size_t i = 0; i < k.n_cols; ++i)
      if (visible(i, j)) result.weights(i, j) = static_cast<double>(weights[i] /= sum);
    for (std::size_t r = 0; r < v.n_rows; ++r) {
      long double mixture = 0;
      for (std::size_t i = 0; i < k.n_cols; ++i)
        if (visible(i, j)) mixture += weights[i] * v(r, i);
      result.out(r, j) = static_cast<double>(mixture);
    }
  }
  return result;
}

} // namespace

TEMPLATE_TEST_CASE("attention equals its definition, whatever the tile", "[kernels]", float, double) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    RandomInput random(seed);
    const std::size_t d_k = random.size(1, 20), d_v = random.size(1, 20), n_k = random.size(1, 70);
    const std::size_t tile = random.size(1, 33), n_q = seed % 3 == 0 ? tile : random.size(1, 70);
    const auto q = random_matrix<TestType>(random, d_k, n_q), k = random_matrix<TestType>(random, d_k, n_k),
               v = random_matrix<TestType>(random, d_v, n_k);
    std::vector<std::uint8_t> valid(n_k);
    for (auto& key : valid) key = random.size(0, 3) > 0;
    const Visible visible{random.coin() ? valid.data() : nullptr, random.coin() ? Mask::causal : Mask::none};
    const Expected expected = by_hand(q, k, v, visible);
    arma::Mat<TestType> out(d_v, n_q), scratch(n_k, tile), scores(n_k, n_q), weights(n_k, n_q);
    reset_executed_macs();
    attention<TestType>(view(out), {view(q), view(k), view(v), visible}, view(scratch),
                        {view(scores), view(weights)});
    INFO("seed " << seed);
    CHECK(executed_macs() == n_q * n_k * (d_k + d_v));
    CHECK(worst_difference(scores, expected.scores) <= kernel_bound<TestType>);
    CHECK(worst_difference(weights, expected.weights) <= kernel_bound<TestType>);
    CHECK(worst_difference(out, expected.out) <= kernel_bound<TestType>);
    arma::Mat<TestType> unwatched(d_v, n_q);
    attention<TestType>(view(unwatched), {view(q), view(k), view(v), visible}, view(scratch));
    CHECK(worst_difference(unwatched, out) == 0);
  }
}

TEMPLATE_TEST_CASE("what is hidden changes nothing, be it NaN", "[kernels]", float, double) {
  RandomInput random(5);
  const TestType nan = std::numeric_limits<TestType>::quiet_NaN();
  const auto q = random_matrix<TestType>(random, 4, 6);
  auto k = random_matrix<TestType>(random, 4, 6), v = random_matrix<TestType>(random, 3, 6);
  std::vector<std::uint8_t> valid{1, 1, 0, 1, 1, 1};
  arma::Mat<TestType> clean(3, 6), dirty(3, 6), scratch(6, 4);
  const Visible visible{valid.data(), Mask::causal};
  attention<TestType>(view(clean), {view(q), view(k), view(v), visible}, view(scratch));
  k.col(2).fill(nan), v.col(2).fill(nan);
  attention<TestType>(view(dirty), {view(q), view(k), view(v), visible}, view(scratch));
  CHECK(worst_difference(dirty, clean) <= kernel_bound<TestType>);
  v.col(5).fill(nan); // the last query alone sees it
  attention<TestType>(view(dirty), {view(q), view(k), view(v), visible}, view(scratch));
  CHECK(worst_difference(dirty.head_cols(5).eval(), clean.head_cols(5).eval()) <= kernel_bound<TestType>);
  CHECK(dirty.col(5).has_nan());
}

TEMPLATE_TEST_CASE("each tile of weights is shown once, and what is done to it counts", "[kernels]", float,
                   double) {
  RandomInput random(6);
  const auto q = random_matrix<TestType>(random, 4, 7), k = random_matrix<TestType>(random, 4, 5),
             v = random_matrix<TestType>(random, 3, 5);
  arma::Mat<TestType> out(3, 7), scratch(5, 3), weights(5, 7);
  std::vector<std::size_t> firsts;
  attention<TestType>(view(out), {view(q), view(k), view(v)}, view(scratch), {{}, view(weights)},
                      [&](MatrixView<TestType> tile, std::size_t first) {
                        firsts.push_back(first);
                        for (std::size_t j = 0; j < tile.cols; ++j) tile(0, j) = 0;
                      });
  CHECK(firsts == std::vector<std::size_t>{0, 3, 6});
  weights.row(0).zeros();
  CHECK(worst_difference(out, (v * weights).eval()) <= kernel_bound<TestType>);
}
