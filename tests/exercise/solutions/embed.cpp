// tfx exercise embed
#include "tfx_exercise.hpp"

using arma::mat, arma::rowvec;

tfx::Returned embed(const rowvec& token_ids, const mat& token_embedding) {
  const double d = static_cast<double>(token_embedding.n_cols);
  mat X = token_embedding.rows(arma::conv_to<arma::uvec>::from(token_ids)) * std::sqrt(d);
  for (arma::uword p = 0; p < X.n_rows; ++p)
    for (arma::uword j = 0; j < X.n_cols; ++j) {
      const double angle = static_cast<double>(p) / std::pow(10000, static_cast<double>(j / 2 * 2) / d);
      X(p, j) += j % 2 == 0 ? std::sin(angle) : std::cos(angle);
    }
  return {{"X", X}};
}
