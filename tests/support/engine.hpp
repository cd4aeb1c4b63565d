#pragma once
// What tests of the engine share: bounds of both types, random matrices, a thread count that is put back.

#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "layers/parameters.hpp"
#include "support/catch.hpp"
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

/// body() under each instruction set that this CPU has.
template <class Body>
void for_each_isa(Body body) {
  const Isa before = isa();
  for (const Isa wanted : {Isa::baseline, Isa::avx2, Isa::avx512}) {
    set_isa(wanted);
    if (isa() != wanted) break;
    INFO("instruction set " << name(wanted));
    body();
  }
  set_isa(before);
}

class ThreadCount {
public:
  explicit ThreadCount(std::size_t count) { set_threads(count); }
  ~ThreadCount() { set_threads(1); }
  ThreadCount(const ThreadCount&) = delete;
  ThreadCount& operator=(const ThreadCount&) = delete;
};

} // namespace tfx
