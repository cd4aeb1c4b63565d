#include "page/formulas.hpp"

namespace tfx::page {

mat first_max(const mat& S) {
  mat hard(S.n_rows, S.n_cols, arma::fill::zeros);
  for (arma::uword i = 0; i < S.n_rows; ++i) hard(i, S.row(i).index_max()) = 1;
  return hard;
}

} // namespace tfx::page
