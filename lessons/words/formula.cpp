#include "page/formulas.hpp"

namespace tfx::page {

Words words(const mat& X) {
  Words w;
  w.norms = arma::sqrt(arma::sum(arma::square(X), 1));
  w.dots = X * X.t();
  const mat lengths = w.norms * w.norms.t();
  w.cosines = w.dots / lengths;
  w.cosines.elem(arma::find(lengths == 0)).zeros(); // a vector of length 0 has no direction
  w.distances.set_size(X.n_rows, X.n_rows);
  for (arma::uword i = 0; i < X.n_rows; ++i)
    for (arma::uword j = 0; j < X.n_rows; ++j) w.distances(i, j) = arma::norm(X.row(i) - X.row(j));
  return w;
}

} // namespace tfx::page
