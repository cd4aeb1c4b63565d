// Words, projections, scores and the softmax: every formula against plain loops, and what must hold for any
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

double dot_of_rows(const mat& A, uword i, const mat& B, uword j) {
  double sum = 0;
  for (uword k = 0; k < A.n_cols; ++k) sum += A(i, k) * B(j, k);
  return sum;
}

mat product(const mat& A, const mat& B) {
  mat C(A.n_rows, B.n_cols);
  for (uword i = 0; i < A.n_rows; ++i)
    for (uword j = 0; j < B.n_cols; ++j) {
      double sum = 0;
      for (uword k = 0; k < A.n_cols; ++k) sum += A(i, k) * B(k, j);
      C(i, j) = sum;
    }
  return C;
}

// The textbook's softmax, without subtracting the maximum: right for small scores.
mat plain_softmax(const mat& S) {
  mat W(S.n_rows, S.n_cols);
  for (uword i = 0; i < S.n_rows; ++i) {
    double sum = 0;
    for (uword j = 0; j < S.n_cols; ++j) sum += std::exp(S(i, j));
    for (uword j = 0; j < S.n_cols; ++j) W(i, j) = sum == 0 ? 0 : std::exp(S(i, j)) / sum;
  }
  return W;
}

double worst_row_sum(const mat& weights) {
  double worst = 0;
  for (uword i = 0; i < weights.n_rows; ++i) {
    double sum = 0;
    for (uword j = 0; j < weights.n_cols; ++j) sum += weights(i, j);
    worst = std::max(worst, std::abs(sum - 1));
  }
  return worst;
}

} // namespace

TEST_CASE("words: dots, norms, cosines and distances of random vectors", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n = random.size(1, 9), d = random.size(1, 12);
    mat X = random.matrix(n, d);
    if (seed % 4 == 0) X.row(random.size(0, n - 1)).zeros(); // a word without a direction
    const page::Words w = page::words(X);
    mat dots(n, n), cosines(n, n), distances(n, n);
    arma::vec norms(n);
    for (uword i = 0; i < n; ++i)
      for (uword j = 0; j < n; ++j) {
        norms(i) = std::sqrt(dot_of_rows(X, i, X, i));
        dots(i, j) = dot_of_rows(X, i, X, j);
        const double lengths = norms(i) * std::sqrt(dot_of_rows(X, j, X, j));
        cosines(i, j) = lengths == 0 ? 0 : dots(i, j) / lengths;
        double squares = 0;
        for (uword k = 0; k < d; ++k) squares += (X(i, k) - X(j, k)) * (X(i, k) - X(j, k));
        distances(i, j) = std::sqrt(squares);
      }
    CHECK(off(w.norms, norms) <= 1e-12);
    CHECK(off(w.dots, dots) <= 1e-12);
    CHECK(off(w.cosines, cosines) <= 1e-12);
    CHECK(off(w.distances, distances) <= 1e-12);
    CHECK(off(w.dots, w.dots.t()) <= 1e-14);
    CHECK(arma::abs(w.cosines).max() <= 1 + 1e-14);
    CHECK(off(page::words(7 * X).cosines, w.cosines) <= 1e-12); // length does not matter
  }
}

TEST_CASE("projections: products of random matrices", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n = random.size(1, 33), d = random.size(1, 40), d_k = random.size(1, 40);
    const mat X = random.matrix(n, d), W = random.matrix(d, d_k);
    const arma::rowvec b = random.matrix(1, d_k);
    const mat plain = product(X, W);
    mat biased = plain;
    for (uword i = 0; i < n; ++i)
      for (uword j = 0; j < d_k; ++j) biased(i, j) += b(j);
    CHECK(off(page::project(X, W), plain) <= 1e-12);
    CHECK(off(page::project(X, W, b), biased) <= 1e-12);
    const mat other = random.matrix(n, d); // linear in X
    CHECK(off(page::project(X + other, W), page::project(X, W) + page::project(other, W)) <= 1e-12);
  }
}

TEST_CASE("scores: every query with every key", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n_q = random.size(1, 33), n_k = random.size(1, 33), d = random.size(1, 40);
    const mat Q = random.matrix(n_q, d), K = random.matrix(n_k, d);
    mat expected(n_q, n_k);
    for (uword i = 0; i < n_q; ++i)
      for (uword j = 0; j < n_k; ++j) expected(i, j) = dot_of_rows(Q, i, K, j);
    const mat S = page::scores(Q, K);
    CHECK(off(S, expected) <= 1e-12);
    CHECK(off(page::scores(K, Q), S.t()) <= 1e-12);
    const arma::uvec order = random.order(n_k);
    CHECK(off(page::scores(Q, K.rows(order)), S.cols(order)) <= 1e-12);
  }
}

TEST_CASE("scaling: every score over the root of d_k", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const mat S = random.matrix(random.size(1, 9), random.size(1, 9), 100);
    const auto d_k = static_cast<double>(random.size(1, 1024));
    const mat scaled = page::scale(S, d_k);
    CHECK(off(scaled * std::sqrt(d_k), S) <= 1e-13);
    CHECK(scaled.n_rows == S.n_rows);
    CHECK(arma::abs(scaled).max() <= arma::abs(S).max());
  }
}

TEST_CASE("softmax: shares of one whole, whatever is added to a row", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n_q = random.size(1, 9), n_k = random.size(1, 50);
    mat S = random.matrix(n_q, n_k, 8);
    if (seed % 2) S.elem(arma::find(random.mask(n_q, n_k) == 0)).fill(-inf);
    if (seed % 2) S.col(random.size(0, n_k - 1)).zeros(); // something to see in every row
    const page::Softmax s = page::softmax(S);
    CHECK(off(s.weights, plain_softmax(S)) <= 1e-12);
    CHECK(worst_row_sum(s.weights) <= 1e-12 * static_cast<double>(n_k));
    CHECK(s.weights.min() >= 0);
    CHECK(s.shifted.max() == 0);
    CHECK(s.row_sum.min() >= 1); // the largest contributes e⁰
    CHECK(off(page::softmax(S + random.number(100)).weights, s.weights) <= 1e-12);
    const arma::uvec order = random.order(n_k);
    CHECK(off(page::softmax(S.cols(order)).weights, s.weights.cols(order)) <= 1e-14);
  }
}

TEST_CASE("softmax: no score is too large", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n_q = random.size(1, 5), n_k = random.size(1, 12);
    mat S = random.matrix(n_q, n_k, 1e308);
    for (double& cell : S)
      if (random.size(0, 3) == 0) cell = random.coin() ? 1e308 : -1e308;
    const mat weights = page::softmax(S).weights;
    CHECK(weights.is_finite());
    CHECK(worst_row_sum(weights) <= 1e-12 * static_cast<double>(n_k));
    for (uword i = 0; i < n_q; ++i) CHECK(weights(i, S.row(i).index_max()) > 0);
  }
}

TEST_CASE("softmax: rows that may see nothing are filled, the others are not touched",
          "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n_q = random.size(2, 9), n_k = random.size(1, 9), blocked = random.size(0, n_q - 1);
    mat S = random.matrix(n_q, n_k);
    const mat open = page::softmax(S).weights;
    S.row(blocked).fill(-inf);
    const mat zero = page::softmax(S).weights, nan = page::softmax(S, arma::datum::nan).weights;
    for (uword i = 0; i < n_q; ++i)
      for (uword j = 0; j < n_k; ++j) {
        REQUIRE(zero(i, j) == (i == blocked ? 0 : open(i, j)));
        REQUIRE((i == blocked ? std::isnan(nan(i, j)) : nan(i, j) == open(i, j)));
      }
  }
}

TEST_CASE("entropy: between 0 and ln n", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n_q = random.size(1, 9), n_k = random.size(1, 20);
    mat weights = plain_softmax(random.matrix(n_q, n_k, 5));
    if (seed % 3 == 0) weights.row(0).zeros(), weights(0, random.size(0, n_k - 1)) = 1;
    arma::vec expected(n_q, arma::fill::zeros);
    for (uword i = 0; i < n_q; ++i)
      for (uword j = 0; j < n_k; ++j)
        if (weights(i, j) > 0) expected(i) -= weights(i, j) * std::log(weights(i, j));
    const arma::vec H = page::entropy(weights);
    CHECK(off(H, expected) <= 1e-12);
    CHECK(H.min() >= 0);
    CHECK(H.max() <= std::log(static_cast<double>(n_k)) + 1e-12);
    if (seed % 3 == 0) CHECK(H(0) == 0);
  }
}

TEST_CASE("the hard look-up: one 1 a row, at the first largest", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const mat S = random.integers(random.size(1, 9), random.size(1, 9), 3); // ties everywhere
    const mat hard = page::first_max(S);
    for (uword i = 0; i < S.n_rows; ++i) {
      uword best = 0;
      for (uword j = 1; j < S.n_cols; ++j)
        if (S(i, j) > S(i, best)) best = j;
      for (uword j = 0; j < S.n_cols; ++j) REQUIRE(hard(i, j) == (j == best ? 1 : 0));
    }
  }
}
