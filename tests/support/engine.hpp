#pragma once
// What tests of the engine share: bounds of both types, random matrices, a thread count that is put back.

#include "core/parallel.hpp"
#include "layers/storage.hpp"
#include "support/random_input.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

/// |a − b| / max(1, |b|) of a kernel against a plain loop in long double.
template <class Real>
constexpr double kernel_bound = sizeof(Real) == sizeof(float) ? 1e-5 : 1e-12;

template <class Real>
arma::Mat<Real> random_matrix(RandomInput& random, std::size_t rows, std::size_t cols, double bound = 2) {
  return arma::conv_to<arma::Mat<Real>>::from(random.matrix(rows, cols, bound));
}

/// The worst |a − b| / max(1, |b|); equal infinities and NaN beside NaN are no difference.
template <class A, class B>
double worst_difference(const A& a, const B& b) {
  if (a.n_rows != b.n_rows || a.n_cols != b.n_cols) return HUGE_VAL;
  double worst = 0;
  for (arma::uword i = 0; i < a.n_elem; ++i) {
    const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference = std::abs(x - y) / std::max(1.0, std::abs(y));
    worst = std::isfinite(difference) ? std::max(worst, difference) : HUGE_VAL;
  }
  return worst;
}

class ThreadCount {
public:
  explicit ThreadCount(std::size_t count) { set_threads(count); }
  ~ThreadCount() { set_threads(1); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
};

} // namespace tfx
