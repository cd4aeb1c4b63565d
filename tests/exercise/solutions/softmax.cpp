// tfx exercise softmax
#include "tfx_exercise.hpp"

using arma::mat;

tfx::Returned softmax(const mat& scores, int d_k) {
  const mat scaled = scores / std::sqrt(static_cast<double>(d_k));
  mat weights = arma::exp(scaled.each_col() - arma::vec(arma::max(scaled, 1)));
  weights.each_col() /= arma::vec(arma::sum(weights, 1));
  return {{"scaled", scaled}, {"weights", weights}};
}
