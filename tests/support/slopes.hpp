#pragma once
// Gradients against central differences.

#include <armadillo>

#include <algorithm>
#include <cmath>
#include <functional>

namespace tfx {

/// The worst |d − slope| / max(1, |slope|) over the cells of x, where slope is (f(x + h) − f(x − h))/2h. x is
/// put back after every cell; f reads it.
inline double worst_slope(arma::Mat<double>& x, const arma::Mat<double>& d,
                          const std::function<double()>& f) {
  if (arma::size(x) != arma::size(d)) return HUGE_VAL;
  double worst = 0;
  for (arma::uword i = 0; i < x.n_elem; ++i) {
    const double value = x[i], h = 1e-5 * std::max(1.0, std::abs(value));
    x[i] = value + h;
    const double above = f();
    x[i] = value - h;
    const double below = f();
    x[i] = value;
    const double slope = (above - below) / (2 * h),
                 difference = std::abs(d[i] - slope) / std::max(1.0, std::abs(slope));
    worst = std::isfinite(difference) ? std::max(worst, difference) : HUGE_VAL;
  }
  return worst;
}

constexpr double slope_bound = 1e-6;

} // namespace tfx
