// Masks, weighted sums, attention and heads: every formula against plain loops, and what must hold for any
// input, on a thousand random shapes each.

#include "page/formulas.hpp"
#include "random_cases.hpp"
#include "support/catch.hpp"
#include "support/not_finite.hpp"
#include "support/random_input.hpp"

#include <cmath>

using namespace tfx;
using arma::mat;
using arma::uword;

namespace {

struct Random {
  explicit Random(std::uint32_t seed) : random(seed), n_q(random.size(1, 20)), n_k(random.size(1, 20)) {
    const uword d_k = random.size(1, 20);
    Q = random.matrix(n_q, d_k), K = random.matrix(n_k, d_k), V = random.matrix(n_k, random.size(1, 20));
  }

  RandomInput random;
  uword n_q, n_k;
  mat Q, K, V;
};

// Attention of one query after the other, key after key; a key behind the mask is not touched.
mat plain_attention(const mat& Q, const mat& K, const mat& V, const mat& mask) {
  mat output(Q.n_rows, V.n_cols, arma::fill::zeros);
  const double root = std::sqrt(static_cast<double>(Q.n_cols));
  for (uword i = 0; i < Q.n_rows; ++i) {
    std::vector<double> shares(K.n_rows, 0);
    double sum = 0;
    for (uword j = 0; j < K.n_rows; ++j) {
      if (mask(i, j) == 0) continue;
      double score = 0;
      for (uword k = 0; k < Q.n_cols; ++k) score += Q(i, k) * K(j, k);
      sum += shares[j] = std::exp(score / root);
    }
    for (uword j = 0; j < K.n_rows; ++j)
      for (uword c = 0; c < V.n_cols; ++c)
        if (shares[j] > 0) output(i, c) += shares[j] / sum * V(j, c);
  }
  return output;
}

} // namespace

TEST_CASE("masks: each key by its position", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n_q = random.size(1, 12), n_k = random.size(1, 12), pad = random.size(0, n_k);
    const mat causal = page::causal_mask(n_q, n_k), padding = page::padding_mask(n_q, n_k, pad);
    mat S = random.matrix(n_q, n_k);
    if (seed % 2) S(0, 0) = NaN;
    const mat mask = random.mask(n_q, n_k), filled = page::mask_fill(S, mask);
    for (uword i = 0; i < n_q; ++i)
      for (uword j = 0; j < n_k; ++j) {
        REQUIRE(causal(i, j) == (j <= i ? 1 : 0));
        REQUIRE(padding(i, j) == (j + pad < n_k ? 1 : 0));
        const bool kept = filled(i, j) == S(i, j) || (std::isnan(S(i, j)) && std::isnan(filled(i, j)));
        REQUIRE((mask(i, j) == 1 ? kept : filled(i, j) == -inf));
      }
  }
}

TEST_CASE("weighted sums: a mixture of rows", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n_q = random.size(1, 20), n_k = random.size(2, 40), d_v = random.size(1, 20);
    mat weights = page::softmax(random.matrix(n_q, n_k, 5)).weights, V = random.matrix(n_k, d_v);
    const uword unseen = random.size(0, n_k - 1);
    weights.col(unseen).zeros();
    mat expected(n_q, d_v, arma::fill::zeros);
    for (uword i = 0; i < n_q; ++i)
      for (uword j = 0; j < n_k; ++j)
        for (uword c = 0; c < d_v; ++c) expected(i, c) += weights(i, j) * V(j, c);
    CHECK(off(page::weighted_sum(weights, V), expected) <= 1e-12);
    V.row(unseen).fill(seed % 2 ? NaN : inf); // nobody looks there
    CHECK(off(page::weighted_sum(weights, V), expected) <= 1e-12);
  }
}

TEST_CASE("attention: against plain loops, with and without a mask", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Random r(seed);
    const mat open(r.n_q, r.n_k, arma::fill::ones), mask = r.random.mask(r.n_q, r.n_k);
    CHECK(off(page::attention(r.Q, r.K, r.V).output, plain_attention(r.Q, r.K, r.V, open)) <= 1e-12);
    const page::Attention masked = page::attention(r.Q, r.K, r.V, mask);
    CHECK(off(masked.output, plain_attention(r.Q, r.K, r.V, mask)) <= 1e-12);
    for (uword i = 0; i < r.n_q; ++i) {
      const double seen = arma::accu(mask.row(i)), sum = arma::accu(masked.weights.row(i));
      REQUIRE((seen == 0 ? sum == 0 : std::abs(sum - 1) <= 1e-12 * static_cast<double>(r.n_k)));
      for (uword j = 0; j < r.n_k; ++j)
        if (mask(i, j) == 0) REQUIRE(masked.weights(i, j) == 0);
    }
    CHECK(off(page::attention(r.Q, r.K, r.V, open).output, page::attention(r.Q, r.K, r.V).output) == 0);
  }
}

TEST_CASE("attention: keys and values in another order, together", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Random r(seed);
    const mat output = page::attention(r.Q, r.K, r.V).output, mask = r.random.mask(r.n_q, r.n_k);
    const arma::uvec order = r.random.order(r.n_k);
    const mat K = r.K.rows(order), V = r.V.rows(order);
    CHECK(off(page::attention(r.Q, K, V).output, output) <= 1e-12);
    CHECK(off(page::attention(r.Q, K, V, mat(mask.cols(order))).output,
              page::attention(r.Q, r.K, r.V, mask).output) <= 1e-12);
    const arma::uvec queries = r.random.order(r.n_q); // and other queries only move rows
    CHECK(off(page::attention(mat(r.Q.rows(queries)), r.K, r.V).output, output.rows(queries)) <= 1e-12);
  }
}

TEST_CASE("attention: under a causal mask later tokens change nothing", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n = random.size(2, 10), d = random.size(1, 8), prefix = random.size(1, n - 1);
    mat Q = random.matrix(n, d), K = random.matrix(n, d), V = random.matrix(n, d);
    const mat mask = page::causal_mask(n, n), before = page::attention(Q, K, V, mask).output;
    const mat alone = page::attention(Q.head_rows(prefix), K.head_rows(prefix), V.head_rows(prefix),
                                      page::causal_mask(prefix, prefix))
                          .output;
    CHECK(off(alone, before.head_rows(prefix)) <= 1e-12);
    Q.tail_rows(n - prefix) *= 0.5;
    K.tail_rows(n - prefix) += 5;
    V.tail_rows(n - prefix) *= -3;
    const mat after = page::attention(Q, K, V, mask).output;
    CHECK(off(after.head_rows(prefix), before.head_rows(prefix)) == 0);
    CHECK(off(after.tail_rows(1), before.tail_rows(1)) > 0); // the last one does see them
  }
}

TEST_CASE("attention: what stands in padding does not matter, even NaN", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    Random r(seed);
    const uword pad = r.random.size(0, r.n_k);
    const mat mask = page::padding_mask(r.n_q, r.n_k, pad),
              before = page::attention(r.Q, r.K, r.V, mask).output;
    r.K.tail_rows(pad).fill(seed % 3 == 0 ? NaN : seed % 3 == 1 ? inf : 1e300);
    r.V.tail_rows(pad).fill(seed % 2 ? NaN : -inf);
    const mat after = page::attention(r.Q, r.K, r.V, mask).output;
    CHECK(after.is_finite());
    CHECK(off(after, before) <= 1e-12);
    if (pad == r.n_k) CHECK(arma::abs(after).max() == 0); // nothing to see: zeros
  }
}

TEST_CASE("heads: splitting and merging only move columns", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n = random.size(1, 9), h = random.size(1, 8), d_k = random.size(1, 8);
    const mat M = random.matrix(n, h * d_k);
    const std::vector<mat> heads = page::split_heads(M, h);
    REQUIRE(heads.size() == h);
    uword cells = 0;
    for (uword k = 0; k < h; ++k) {
      REQUIRE(heads[k].n_rows == n);
      REQUIRE(heads[k].n_cols == d_k);
      cells += heads[k].n_elem;
      for (uword i = 0; i < n; ++i)
        for (uword j = 0; j < d_k; ++j) REQUIRE(heads[k](i, j) == M(i, k * d_k + j));
    }
    CHECK(cells == M.n_elem); // however many heads: the same parameters
    CHECK(off(page::merge_heads(heads), M) == 0);
  }
}

TEST_CASE("heads: one head is attention itself, and heads never mix", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n = random.size(1, 8), h = random.size(1, 4), d_k = random.size(1, 4);
    const mat X = random.matrix(n, h * d_k), W = random.matrix(h * d_k, h * d_k);
    // n small products X·W_i are the columns of the wide one
    std::vector<mat> projected;
    for (const mat& W_i : page::split_heads(W, h)) projected.push_back(page::project(X, W_i));
    CHECK(off(page::merge_heads(projected), page::project(X, W)) <= 1e-12);
    const std::vector<mat> Q = page::split_heads(page::project(X, W), h);
    mat changed = page::project(X, W);
    changed.tail_cols(d_k) *= 2; // the last head only
    const std::vector<mat> other = page::split_heads(changed, h);
    for (uword k = 0; k + 1 < h; ++k)
      CHECK(off(page::attention(other[k], other[k], other[k]).output,
                page::attention(Q[k], Q[k], Q[k]).output) == 0);
  }
}
