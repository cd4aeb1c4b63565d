#pragma once
// Byte-pair encoding on numbers of symbols: a piece of a text a row, a symbol a cell, −1 where the piece has
// ended. Plain Armadillo. Source: Sennrich, Haddow, Birch 2016, "Neural Machine Translation of Rare Words
// with Subword Units", algorithm 1; byte by byte as GPT-2 does it (Radford et al. 2019, section 2.2).

#include "page/formulas.hpp"

namespace tfx::page {

// 20 bpe — from bytes to tokens
/// How often b stands right of a inside a piece; piece i stands counts(i) times in the text. symbols ×
/// symbols
mat pair_counts(const mat& pieces, const vec& counts, arma::uword symbols);
rowvec most_frequent(const mat& pair_counts); ///< {a, b} of the largest; of equal ones a smallest, then b
mat merge_pair(const mat& pieces, const rowvec& pair, double made); ///< a b → made, from left to right

struct Learned {
  mat merges; ///< {a, b} a row, in the order learned; what row k makes has the number symbols + k
  mat pieces; ///< after the last merge
};
/// As long as a pair stands at least twice.
Learned learn(mat pieces, const vec& counts, arma::uword symbols, arma::uword merges);
/// Every merge in the order learned, whatever is frequent in the new text.
mat encode(mat pieces, const mat& merges, arma::uword symbols);

} // namespace tfx::page
