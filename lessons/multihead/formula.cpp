#include "page/formulas.hpp"

namespace tfx::page {

// Head i gets columns i·d_k … (i+1)·d_k − 1 of every token.
std::vector<mat> split_heads(const mat& M, arma::uword h) {
  const arma::uword d_k = M.n_cols / h;
  std::vector<mat> heads;
  for (arma::uword i = 0; i < h; ++i) heads.push_back(M.cols(i * d_k, (i + 1) * d_k - 1));
  return heads;
}

mat merge_heads(const std::vector<mat>& heads) {
  mat M;
  for (const mat& head : heads) M = arma::join_rows(M, head);
  return M;
}

} // namespace tfx::page
