// Cross-attention, positions, norms and layers: every formula against plain loops, and what must hold for any
// input, on a thousand random shapes each.

#include "lessons/block/view.hpp"
#include "page/layer_formulas.hpp"
#include "random_cases.hpp"
#include "support/catch.hpp"
#include "support/random_input.hpp"

#include <cmath>

using namespace tfx;
using arma::mat;
using arma::rowvec;
using arma::uword;

namespace {

page::Projections projections(RandomInput& random, uword d, uword d_memory, uword d_k, uword d_v) {
  return {random.matrix(d, d_k), random.matrix(d_memory, d_k), random.matrix(d_memory, d_v),
          random.matrix(1, d_k), random.matrix(1, d_k),        random.matrix(1, d_v)};
}

page::Layer layer(RandomInput& random, uword d, uword heads) {
  page::Layer l;
  l.attention = projections(random, d, d, d, d);
  l.W_O = random.matrix(d, d), l.b_O = random.matrix(1, d);
  const uword d_ff = random.size(1, 9);
  l.W_1 = random.matrix(d, d_ff), l.b_1 = random.matrix(1, d_ff);
  l.W_2 = random.matrix(d_ff, d), l.b_2 = random.matrix(1, d);
  l.gamma_1 = random.matrix(1, d), l.beta_1 = random.matrix(1, d);
  l.gamma_2 = random.matrix(1, d), l.beta_2 = random.matrix(1, d);
  l.heads = heads;
  l.rule = random.coin() ? Norm::annotated : Norm::layer;
  return l;
}

} // namespace

TEST_CASE("cross-attention: the shapes tell the source, memory is a set", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n_q = random.size(1, 7), n_k = random.size(1, 7), d = random.size(1, 6),
                d_m = random.size(1, 6), d_v = random.size(1, 5);
    const mat X = random.matrix(n_q, d), memory = random.matrix(n_k, d_m);
    const page::Projections p = projections(random, d, d_m, random.size(1, 5), d_v);
    const page::Attention a = page::cross_attention(X, memory, p);
    CHECK((a.weights.n_rows == n_q && a.weights.n_cols == n_k));
    CHECK((a.output.n_rows == n_q && a.output.n_cols == d_v));
    const arma::uvec order = random.order(n_k);
    CHECK(off(page::cross_attention(X, memory.rows(order), p).output, a.output) <= 1e-12);
    const mat mask = random.mask(n_q, n_k);
    CHECK(off(page::cross_attention(X, memory, p, arma::ones(n_q, n_k)).output, a.output) == 0);
    mat seen = mask, other = memory;
    seen.tail_cols(1).zeros(), other.tail_rows(1) *= -3;
    CHECK(off(page::cross_attention(X, other, p, seen).output,
              page::cross_attention(X, memory, p, seen).output) == 0);
  }
}

TEST_CASE("embeddings: one-hot rows, scale and positions of random shapes", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword words = random.size(1, 20), n = random.size(1, 12), d = random.size(1, 11);
    const mat E = random.matrix(words, d);
    arma::uvec ids(n);
    for (uword& id : ids) id = random.size(0, words - 1);
    CHECK(off(page::one_hot(ids, words) * E, page::look_up(E, ids)) == 0);
    const mat P = page::sinusoidal_positions(n, d), X = page::embed(E, ids);
    for (uword i = 0; i < n; ++i)
      for (uword j = 0; j < d; ++j) {
        CHECK(std::abs(X(i, j) - E(ids(i), j) * std::sqrt(static_cast<double>(d))) <= 1e-12);
        const double pair = static_cast<double>(j / 2);
        const double angle = static_cast<double>(i) / std::pow(10000.0, 2 * pair / static_cast<double>(d));
        CHECK(std::abs(P(i, j) - (j % 2 ? std::cos(angle) : std::sin(angle))) <= 1e-12);
      }
    const arma::uvec order = random.order(n); // without positions only the order of the rows changes
    const mat moved = X.rows(order);
    CHECK(off(page::attention(moved, moved, moved).output,
              page::attention(X, X, X).output.eval().rows(order)) <= 1e-12);
  }
}

TEST_CASE("norms: mean, spread, and what they do not see", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword n = random.size(1, 6), d = random.size(2, 12);
    const mat X = random.matrix(n, d);
    const rowvec gamma = random.matrix(1, d), shift = random.matrix(1, d);
    for (const Norm rule : {Norm::annotated, Norm::layer}) {
      const bool annotated = rule == Norm::annotated;
      const page::LayerNorm norm = page::layer_norm(X, gamma, shift, rule);
      for (uword i = 0; i < n; ++i) {
        double mean = 0, squares = 0;
        for (uword j = 0; j < d; ++j) mean += X(i, j) / static_cast<double>(d);
        for (uword j = 0; j < d; ++j) squares += (X(i, j) - mean) * (X(i, j) - mean);
        const double divisor = annotated ? std::sqrt(squares / static_cast<double>(d - 1)) + 1e-6
                                         : std::sqrt(squares / static_cast<double>(d) + 1e-5);
        for (uword j = 0; j < d; ++j)
          CHECK(std::abs(norm.output(i, j) - (gamma(j) * (X(i, j) - mean) / divisor + shift(j))) <= 1e-11);
      }
      CHECK(off(page::layer_norm(X + 5, gamma, shift, rule).output, norm.output) <= 1e-9);
      CHECK(off(page::layer_norm(X.head_rows(1), gamma, shift, rule).output, norm.output.head_rows(1)) == 0);
    }
  }
}

TEST_CASE("layers: tokens in another order, and where the norm stands", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    INFO("seed " << seed);
    RandomInput random(seed);
    const uword heads = random.size(1, 3), d = heads * random.size(1, 4) + (heads == 1 ? 1 : 0),
                n = random.size(1, 6);
    const page::Layer l = layer(random, d, heads);
    if (d < 2) continue;
    const mat X = random.matrix(n, d), mask = arma::ones(n, n);
    const mat first = page::encoder_layer_norm_first(X, l, mask),
              last = page::encoder_layer_norm_last(X, l, mask);
    const auto norm = [&](const mat& Y, int i) {
      return page::layer_norm(Y, i == 1 ? l.gamma_1 : l.gamma_2, i == 1 ? l.beta_1 : l.beta_2, l.rule).output;
    };
    const auto fed = [&](const mat& Y) { return page::feed_forward(Y, l.W_1, l.b_1, l.W_2, l.b_2).output; };
    const auto attended = [&](const mat& Y) { return page::multihead_attention(Y, Y, l, mask); };
    const mat Y = X + attended(norm(X, 1));
    CHECK(off(first, Y + fed(norm(Y, 2))) <= 1e-12);
    const mat Z = norm(X + attended(X), 1);
    CHECK(off(last, norm(Z + fed(Z), 2)) <= 1e-12);
    // A token's numbers may lie so close together that a norm enlarges the last bit.
    const arma::uvec order = random.order(n);
    CHECK(off(page::encoder_layer_norm_first(X.rows(order), l, mask), first.rows(order)) <= 1e-8);
    const page::FeedForward f = page::feed_forward(X, l.W_1, l.b_1, l.W_2, l.b_2);
    CHECK(f.activated.min() >= 0);
    CHECK(off(f.activated, arma::mat(f.hidden % (f.hidden > 0))) == 0);
  }
}

TEST_CASE("dropout keeps what it keeps and divides it", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    RandomInput random(seed);
    const mat W = random.matrix(random.size(1, 5), random.size(1, 5)), keep = random.mask(W.n_rows, W.n_cols);
    const double rate = static_cast<double>(random.size(0, 9)) / 10;
    const mat D = page::dropout(W, keep, rate);
    for (uword i = 0; i < W.n_elem; ++i) CHECK(D(i) == (keep(i) == 0 ? 0 : W(i) / (1 - rate)));
  }
}

TEST_CASE("a view moves no number", "[lessons][properties]") {
  for (std::uint32_t seed = 0; seed < cases; ++seed) {
    RandomInput random(seed);
    const std::size_t n = random.size(1, 5), h = random.size(1, 4), d = random.size(1, 4);
    const View whole = View::contiguous({n, h * d});
    const auto split = whole.viewed({n, h, d});
    REQUIRE(split);
    CHECK(split->strides == Shape{h * d, d, 1});
    CHECK(split->is_contiguous());
    const View turned = split->transposed(0, 1);
    CHECK(turned.strides == Shape{d, h * d, 1});
    CHECK(turned.is_contiguous() == (n == 1 || h == 1));
    CHECK(turned.viewed({n, h * d}).has_value() ==
          (n == 1 || h == 1 || (d == 1 && n == h))); // as PyTorch 1.13
    CHECK(turned.viewed({h * n, d}).has_value() == (n == 1 || h == 1));
    const View columns = whole.first(1, d);
    CHECK(columns.is_contiguous() == (n == 1 || h == 1));
    CHECK(columns.viewed({n, d, 1}).has_value());
    CHECK(columns.viewed({n * d}).has_value() == (n == 1 || h == 1 || d == 1));
  }
}
