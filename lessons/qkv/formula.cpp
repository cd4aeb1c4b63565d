#include "page/formulas.hpp"

namespace tfx::page {

// Q = X·W_Q, K = X·W_K, V = X·W_V: one input, three projections.
mat project(const mat& X, const mat& W) {
  return X * W;
}

mat project(const mat& X, const mat& W, const rowvec& b) {
  mat Y = X * W;
  Y.each_row() += b;
  return Y;
}

} // namespace tfx::page
