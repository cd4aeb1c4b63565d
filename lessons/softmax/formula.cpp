#include "page/formulas.hpp"

namespace tfx::page {

mat scale(const mat& S, double d_k) {
  return S / std::sqrt(d_k);
}

Softmax softmax(const mat& S, double masked_row) {
  Softmax s;
  s.row_max = arma::max(S, 1);
  s.row_max.elem(arma::find(s.row_max == -arma::datum::inf)).zeros(); // −∞ − −∞ would be NaN
  s.shifted = S.each_col() - s.row_max;
  s.exponentials = arma::exp(s.shifted);
  s.row_sum = arma::sum(s.exponentials, 1);
  s.weights = s.exponentials.each_col() / s.row_sum;
  s.weights.rows(arma::find(s.row_sum == 0)).fill(masked_row);
  return s;
}

vec entropy(const mat& weights) {
  mat terms = weights % arma::log(weights);
  terms.elem(arma::find(weights == 0)).zeros(); // w·ln w → 0 as w → 0
  return -arma::sum(terms, 1);
}

} // namespace tfx::page
