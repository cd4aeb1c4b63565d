#include "page/subwords.hpp"

namespace tfx::page {

namespace {

constexpr double ended = -1;

} // namespace

// Pairs inside a piece only: no token ever holds the end of one word and the start of the next.
mat pair_counts(const mat& pieces, const vec& counts, arma::uword symbols) {
  mat pairs(symbols, symbols, arma::fill::zeros);
  for (arma::uword i = 0; i < pieces.n_rows; ++i)
    for (arma::uword j = 0; j + 1 < pieces.n_cols && pieces(i, j + 1) != ended; ++j)
      pairs(arma::uword(pieces(i, j)), arma::uword(pieces(i, j + 1))) += counts(i);
  return pairs;
}

// Row by row, so that of equal pairs the one of older symbols comes first.
rowvec most_frequent(const mat& pair_counts) {
  const arma::uword first = mat(pair_counts.t()).index_max();
  return {double(first / pair_counts.n_cols), double(first % pair_counts.n_cols)};
}

mat merge_pair(const mat& pieces, const rowvec& pair, double made) {
  mat merged(pieces.n_rows, pieces.n_cols);
  merged.fill(ended);
  for (arma::uword i = 0; i < pieces.n_rows; ++i) {
    arma::uword to = 0;
    for (arma::uword j = 0; j < pieces.n_cols && pieces(i, j) != ended; ++j) {
      const bool both = j + 1 < pieces.n_cols && pieces(i, j) == pair(0) && pieces(i, j + 1) == pair(1);
      merged(i, to++) = both ? made : pieces(i, j);
      if (both) ++j; // of a a a the first two: a symbol is in one pair only
    }
  }
  return merged;
}

Learned learn(mat pieces, const vec& counts, arma::uword symbols, arma::uword merges) {
  mat learned(0, 2);
  while (learned.n_rows < merges) {
    const arma::uword now = symbols + learned.n_rows; // a new symbol with every merge
    const mat pairs = pair_counts(pieces, counts, now);
    if (pairs.max() < 2) break; // what stands there once is no pattern
    const rowvec pair = most_frequent(pairs);
    pieces = merge_pair(pieces, pair, double(now));
    learned.insert_rows(learned.n_rows, pair);
  }
  return {learned, pieces};
}

mat encode(mat pieces, const mat& merges, arma::uword symbols) {
  for (arma::uword k = 0; k < merges.n_rows; ++k)
    pieces = merge_pair(pieces, merges.row(k), double(symbols + k));
  return pieces;
}

} // namespace tfx::page
