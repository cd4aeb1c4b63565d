#include "bench/case.hpp"

#include <cmath>
#include <limits>

namespace tfx::bench {

double relative_difference(const arma::mat& a, const arma::mat& b) {
  if (a.n_rows != b.n_rows || a.n_cols != b.n_cols) return std::numeric_limits<double>::infinity();
  double worst = 0, largest = 0;
  for (arma::uword i = 0; i < a.n_elem; ++i) {
    const double difference = std::abs(a[i] - b[i]);
    if (!(difference <= worst)) worst = difference; // NaN stays
    if (std::isnan(worst)) return worst;
    largest = std::max(largest, std::abs(b[i]));
  }
  return worst == 0 ? 0 : worst / largest;
}

} // namespace tfx::bench
