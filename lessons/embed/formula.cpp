#include "page/layer_formulas.hpp"

#include <cmath>

namespace tfx::page {

mat one_hot(const uvec& ids, uword vocabulary) {
  mat H(ids.n_elem, vocabulary, arma::fill::zeros);
  for (uword i = 0; i < ids.n_elem; ++i) H(i, ids(i)) = 1;
  return H;
}

mat look_up(const mat& E, const uvec& ids) {
  return E.rows(ids);
}

mat embed(const mat& E, const uvec& ids) {
  return look_up(E, ids) * std::sqrt(static_cast<double>(E.n_cols));
}

// Columns 2i and 2i + 1 share one wavelength, from 2π in the first pair towards 10000·2π in the last.
mat angles(const vec& positions, uword d_model) {
  mat A(positions.n_elem, d_model);
  const double d = static_cast<double>(d_model);
  for (uword j = 0; j < d_model; ++j)
    A.col(j) = positions * std::exp(-std::log(10000.0) * static_cast<double>(j - j % 2) / d);
  return A;
}

mat sinusoids(const mat& angles) {
  mat P(arma::size(angles));
  for (uword j = 0; j < angles.n_cols; ++j)
    P.col(j) = j % 2 == 0 ? vec(arma::sin(angles.col(j))) : vec(arma::cos(angles.col(j)));
  return P;
}

mat sinusoidal_positions(uword n, uword d_model) {
  return sinusoids(angles(arma::regspace(0, static_cast<double>(n) - 1), d_model));
}

} // namespace tfx::page
