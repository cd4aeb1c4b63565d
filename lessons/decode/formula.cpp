#include "page/decoding.hpp"

#include <cmath>

namespace tfx::page {

namespace {

// Where each token of a row stands when the most probable comes first.
uvec order_of(const mat& P, uword row) {
  return arma::stable_sort_index(P.row(row), "descend");
}

} // namespace

mat top_k(const mat& P, uword k) {
  mat kept(P.n_rows, P.n_cols, arma::fill::zeros);
  for (uword i = 0; i < P.n_rows; ++i) {
    const uvec order = order_of(P, i);
    for (uword j = 0; j < k && j < P.n_cols; ++j) kept(i, order(j)) = 1;
  }
  return kept;
}

// In the order of their probability; each number stands at its token again.
mat mass_before(const mat& P) {
  mat before(P.n_rows, P.n_cols);
  for (uword i = 0; i < P.n_rows; ++i) {
    double sum = 0;
    for (const uword token : order_of(P, i)) {
      before(i, token) = sum;
      sum += P(i, token);
    }
  }
  return before;
}

mat renormalised(const mat& P, const mat& kept) {
  const mat cut = P % kept;
  return cut.each_col() / vec(arma::sum(cut, 1));
}

// The tokens lie end to end, each as long as it is probable; u is a place between 0 and 1.
mat drawn(const mat& P, const mat& before, double u) {
  mat chosen(P.n_rows, P.n_cols, arma::fill::zeros);
  for (uword i = 0; i < P.n_rows; ++i) {
    uword last = before.row(i).index_min();
    for (uword j = 0; j < P.n_cols; ++j)
      if (P(i, j) > 0 && before(i, j) <= u && before(i, j) > before(i, last)) last = j;
    chosen(i, last) = 1;
  }
  return chosen;
}

Sampled sample_from(const mat& logits, const Sampling& sampling, double u) {
  Sampled s;
  s.tempered = logits / sampling.temperature; // logits, not probabilities
  s.probs = softmax(s.tempered).weights;
  s.kept_k = top_k(s.probs, sampling.top_k);
  s.probs_k = renormalised(s.probs, s.kept_k);
  s.before = mass_before(s.probs_k);
  s.kept_p = arma::conv_to<mat>::from(s.before < sampling.top_p); // the one that reaches p stays
  s.probs_p = renormalised(s.probs_k, s.kept_p);
  s.drawn = drawn(s.probs_p, mass_before(s.probs_p), u);
  return s;
}

rowvec beam_scores(const mat& log_probs, const rowvec& lengths, double exponent) {
  rowvec scores(lengths.n_elem);
  for (uword j = 0; j < lengths.n_elem; ++j) {
    const double n = lengths(j);
    const vec counted = log_probs.col(j).head(uword(n));
    const double penalty = std::pow((5 + n) / 6, exponent);
    scores(j) = arma::accu(counted) / penalty;
  }
  return scores;
}

} // namespace tfx::page
