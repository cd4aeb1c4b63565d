#pragma once
// What the properties of the formulas share: how many random shapes each is tried on, and how far off a
// result is.

#include "support/not_finite.hpp"

#include <armadillo>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tfx {

constexpr std::uint32_t cases = 1000;

/// max |a − b| / max(1, |b|); infinite where the shapes differ or a NaN stands.
inline double off(const arma::mat& a, const arma::mat& b) {
  if (a.n_rows != b.n_rows || a.n_cols != b.n_cols) return inf;
  double worst = 0;
  for (arma::uword i = 0; i < a.n_elem; ++i) {
    if (a(i) == b(i)) continue;
    const double here = std::abs(a(i) - b(i)) / std::max(1.0, std::abs(b(i)));
    worst = std::isnan(here) ? inf : std::max(worst, here);
  }
  return worst;
}

} // namespace tfx
