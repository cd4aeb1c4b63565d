// Every formula of the page on numbers small enough to do by hand.

#include "page/formulas.hpp"

#include "support/catch.hpp"
#include "support/not_finite.hpp"

#include <cmath>

namespace tfx::page {

namespace {

bool all_equal(const mat& a, const mat& b) {
  return a.n_rows == b.n_rows && a.n_cols == b.n_cols && arma::all(arma::vectorise(a == b));
}

bool near(const mat& a, const mat& b) {
  return arma::approx_equal(a, b, "absdiff", 1e-15);
}

} // namespace

TEST_CASE("words by hand", "[lessons][formulas]") {
  const Words w = words(mat{{3, 4}, {0, 0}, {6, 8}, {-4, 3}});
  CHECK(all_equal(w.norms, vec{5, 0, 10, 5}));
  CHECK(all_equal(w.dots, mat{{25, 0, 50, 0}, {0, 0, 0, 0}, {50, 0, 100, 0}, {0, 0, 0, 25}}));
  CHECK(near(w.cosines, mat{{1, 0, 1, 0}, {0, 0, 0, 0}, {1, 0, 1, 0}, {0, 0, 0, 1}}));
  CHECK(near(w.distances, mat{{0, 5, 5, std::sqrt(50)},
                              {5, 0, 10, 5},
                              {5, 10, 0, std::sqrt(125)},
                              {std::sqrt(50), 5, std::sqrt(125), 0}}));
}

TEST_CASE("a projection by hand", "[lessons][formulas]") {
  const mat X{{1, 2}, {0, -1}}, W{{1, 0, 3}, {1, 2, 0}};
  CHECK(all_equal(project(X, W), mat{{3, 4, 3}, {-1, -2, 0}}));
  CHECK(all_equal(project(X, W, rowvec{10, 20, 30}), mat{{13, 24, 33}, {9, 18, 30}})); // b goes to every row
}

TEST_CASE("scores by hand: a row asks, a column is asked", "[lessons][formulas]") {
  const mat Q = rowvec{1, 2}, K{{3, 4}, {5, 6}, {0, -1}};
  CHECK(all_equal(scores(Q, K), rowvec{11, 17, -2}));
  CHECK(all_equal(scores(K, Q), vec{11, 17, -2}));
}

TEST_CASE("scaling divides by the root of d_k", "[lessons][formulas]") {
  CHECK(all_equal(scale(mat{{8, -4}, {0, 2}}, 4), mat{{4, -2}, {0, 1}}));
  CHECK(scale(rowvec{3}, 3)(0, 0) == Approx(std::sqrt(3)));
}

TEST_CASE("a softmax by hand, with all its steps", "[lessons][formulas]") {
  const double ln3 = std::log(3);
  const Softmax s = softmax(mat{{0, ln3}, {7, 7}});
  CHECK(near(s.row_max, vec{ln3, 7}));
  CHECK(near(s.shifted, mat{{-ln3, 0}, {0, 0}}));
  CHECK(near(s.exponentials, mat{{1.0 / 3, 1}, {1, 1}}));
  CHECK(near(s.row_sum, vec{4.0 / 3, 2}));
  CHECK(near(s.weights, mat{{0.25, 0.75}, {0.5, 0.5}}));
}

TEST_CASE("the softmax is taken along rows, not along columns or over everything", "[lessons][formulas]") {
  const mat S{{0, 0, 0}, {100, 100, 100}};
  const mat third = mat(2, 3).fill(1.0 / 3);
  CHECK(near(softmax(S).weights, third));
}

TEST_CASE("what is −∞ gets no weight; a row of −∞ gets what was asked for", "[lessons][formulas]") {
  const mat S{{1, -inf}, {-inf, -inf}};
  const Softmax zero = softmax(S);
  CHECK(all_equal(zero.row_max, vec{1, 0}));
  CHECK(all_equal(zero.row_sum, vec{1, 0}));
  CHECK(all_equal(zero.weights, mat{{1, 0}, {0, 0}}));
  const mat weights = softmax(S, NaN).weights;
  CHECK(all_equal(weights.row(0), rowvec{1, 0}));
  CHECK((std::isnan(weights(1, 0)) && std::isnan(weights(1, 1))));
}

TEST_CASE("the entropy is 0 for one key and ln n for all alike", "[lessons][formulas]") {
  const mat weights{{1, 0, 0, 0}, {0.25, 0.25, 0.25, 0.25}, {0.5, 0, 0.5, 0}, {0, 0, 0, 0}};
  CHECK(near(entropy(weights), vec{0, std::log(4), std::log(2), 0}));
}

TEST_CASE("the hard look-up takes the first of equal maxima", "[lessons][formulas]") {
  CHECK(all_equal(first_max(mat{{1, 3, 3}, {2, 2, 2}, {-5, -1, -2}}), mat{{0, 1, 0}, {1, 0, 0}, {0, 1, 0}}));
}

TEST_CASE("a weighted sum by hand", "[lessons][formulas]") {
  const mat V{{4, 0}, {8, 4}};
  CHECK(all_equal(weighted_sum(mat{{0.25, 0.75}, {1, 0}}, V), mat{{7, 3}, {4, 0}}));
}

TEST_CASE("what has no weight is not read", "[lessons][formulas]") {
  const mat V{{1, 2}, {NaN, inf}};
  CHECK(all_equal(weighted_sum(rowvec{1, 0}, V), rowvec{1, 2}));
  CHECK(all_equal(weighted_sum(rowvec{0, 0}, V), rowvec{0, 0}));
  const mat seen = weighted_sum(rowvec{0.5, 0.5}, V);
  CHECK((std::isnan(seen(0, 0)) && seen(0, 1) == inf)); // and what has one is
}

TEST_CASE("masks by hand", "[lessons][formulas]") {
  CHECK(all_equal(causal_mask(3, 3), mat{{1, 0, 0}, {1, 1, 0}, {1, 1, 1}}));
  CHECK(all_equal(causal_mask(2, 4), mat{{1, 0, 0, 0}, {1, 1, 0, 0}}));
  CHECK(all_equal(causal_mask(4, 2), mat{{1, 0}, {1, 1}, {1, 1}, {1, 1}}));
  CHECK(all_equal(causal_mask_lower_right(3, 3), causal_mask(3, 3)));
  CHECK(all_equal(causal_mask_lower_right(2, 4), mat{{1, 1, 1, 0}, {1, 1, 1, 1}}));
  CHECK(all_equal(causal_mask_lower_right(4, 2), mat{{0, 0}, {0, 0}, {1, 0}, {1, 1}}));
  CHECK(all_equal(causal_mask_lower_right(1, 5), mat(1, 5, arma::fill::ones))); // a cache's step
  CHECK(all_equal(padding_mask(2, 3, 1), mat{{1, 1, 0}, {1, 1, 0}}));
  CHECK(all_equal(padding_mask(1, 2, 0), rowvec{1, 1}));
  CHECK(all_equal(padding_mask(1, 2, 2), rowvec{0, 0}));
  CHECK(all_equal(mask_fill(mat{{1, 2}, {NaN, 4}}, mat{{1, 0}, {0, 1}}), mat{{1, -inf}, {-inf, 4}}));
}

TEST_CASE("attention by hand", "[lessons][formulas]") {
  const double ln3 = std::log(3);
  const mat Q = rowvec{1, 0, 0, 0}, K{{0, 5, 5, 5}, {2 * ln3, 7, 7, 7}},
            V = vec{4, 8}; // d_k = 4: the root is 2
  const Attention a = attention(Q, K, V);
  CHECK(near(a.scores, rowvec{0, 2 * ln3}));
  CHECK(near(a.scaled, rowvec{0, ln3}));
  CHECK(a.masked.is_empty());
  CHECK(near(a.weights, rowvec{0.25, 0.75}));
  CHECK(near(a.output, rowvec{7}));

  const Attention masked = attention(Q, K, V, rowvec{1, 0});
  CHECK(all_equal(masked.masked, rowvec{0, -inf}));
  CHECK(all_equal(masked.weights, rowvec{1, 0}));
  CHECK(all_equal(masked.output, rowvec{4}));
  CHECK(all_equal(attention(Q, K, V, rowvec{0, 0}).output, rowvec{0}));
  CHECK(std::isnan(attention(Q, K, V, rowvec{0, 0}, NaN).output(0, 0)));
}

TEST_CASE("heads are split by columns", "[lessons][formulas]") {
  const mat M{{1, 2, 3, 4}, {5, 6, 7, 8}};
  const std::vector<mat> heads = split_heads(M, 2);
  REQUIRE(heads.size() == 2);
  CHECK(all_equal(heads[0], mat{{1, 2}, {5, 6}}));
  CHECK(all_equal(heads[1], mat{{3, 4}, {7, 8}}));
  CHECK(all_equal(merge_heads(heads), M));
  CHECK(all_equal(merge_heads({heads[1], heads[0]}), mat{{3, 4, 1, 2}, {7, 8, 5, 6}}));
  CHECK(all_equal(split_heads(M, 1)[0], M));
}

} // namespace tfx::page
