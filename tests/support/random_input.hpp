#pragma once
// Random shapes and matrices for property tests: a seed gives the same case everywhere.

#include <armadillo>

#include <cstdint>
#include <random>

namespace tfx {

class RandomInput {
public:
  explicit RandomInput(std::uint32_t seed) : engine_(seed) {}

  /// One of low … high.
  arma::uword size(arma::uword low, arma::uword high) { return low + engine_() % (high - low + 1); }

  bool coin() { return engine_() % 2 == 0; }

  /// Within ±bound.
  double number(double bound) { return (static_cast<double>(engine_()) / 4294967295.0 * 2 - 1) * bound; }

  arma::mat matrix(arma::uword rows, arma::uword columns, double bound = 3) {
    arma::mat M(rows, columns);
    for (double& cell : M) cell = number(bound);
    return M;
  }

  /// 0 … high − 1: ties are likely.
  arma::mat integers(arma::uword rows, arma::uword columns, arma::uword high) {
    arma::mat M(rows, columns);
    for (double& cell : M) cell = static_cast<double>(size(0, high - 1));
    return M;
  }

  /// 1 in about two thirds of the cells, else 0.
  arma::mat mask(arma::uword rows, arma::uword columns) {
    arma::mat M(rows, columns);
    for (double& cell : M) cell = size(0, 2) > 0 ? 1 : 0;
    return M;
  }

  /// 0 … n − 1 in random order.
  arma::uvec order(arma::uword n) {
    if (n == 0) return {};
    arma::uvec positions = arma::regspace<arma::uvec>(0, n - 1);
    for (arma::uword i = n; i-- > 1;) std::swap(positions(i), positions(size(0, i)));
    return positions;
  }

private:
  std::mt19937 engine_; // its numbers are fixed by the standard; those of std::…_distribution are not
};

} // namespace tfx
