#pragma once
// Rows that a softmax can go wrong on, and the answer in long double, whose exponent reaches far beyond ours.

#include "support/random_input.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace tfx {

/// n cells of one of eight kinds; none is NaN or +∞, the last kind is −∞ everywhere.
template <class Real>
std::vector<Real> hard_row(RandomInput& random, std::size_t n) {
  using Limits = std::numeric_limits<Real>;
  constexpr Real inf = Limits::infinity(), huge = sizeof(Real) == sizeof(float) ? Real(1e38) : Real(1e308);
  std::vector<Real> row(n);
  const std::size_t kind = random.size(0, 7);
  const double scale = std::pow(10.0, random.number(3));
  for (Real& cell : row) {
    const Real usual = static_cast<Real>(random.number(scale));
    switch (kind) {
    case 0: cell = usual; break;
    case 1: cell = random.coin() ? huge : -huge; break;
    case 2: cell = static_cast<Real>(static_cast<double>(huge) * random.number(1)); break;
    case 3: cell = Limits::denorm_min() * static_cast<Real>(random.size(0, 1000)); break;
    case 4: cell = random.size(0, 2) ? usual : -inf; break;
    case 5: cell = random.coin() ? usual : -huge; break;
    case 6: cell = static_cast<Real>(random.size(0, 2)) - (random.coin() ? Limits::max() : Real(0)); break;
    default: cell = -inf;
    }
  }
  return row;
}

/// log Σ exp(x) and max, of cells that may be seen.
struct LogSum {
  long double max = -std::numeric_limits<long double>::infinity(), log_sum = 0;
  bool empty() const { return std::isinf(max); }

  template <class Cell>
  LogSum(std::size_t n, Cell cell) {
    for (std::size_t i = 0; i < n; ++i) max = std::max(max, cell(i));
    if (empty()) return;
    long double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::exp(cell(i) - max);
    log_sum = std::log(sum);
  }

  /// ln softmax of a cell.
  long double operator()(long double x) const { return x - max - log_sum; }
};

} // namespace tfx
