#include "page/layer_formulas.hpp"

#include <cmath>

namespace tfx::page {

// The first pair turns by one radian a place, each later one more slowly.
mat rotary_angles(const vec& positions, uword pairs, double base) {
  rowvec speeds(pairs);
  for (uword i = 0; i < pairs; ++i)
    speeds(i) = std::pow(base, -static_cast<double>(i) / static_cast<double>(pairs));
  return positions * speeds;
}

uword first_of_pair(uword pair, uword apart) {
  return pair / apart * 2 * apart + pair % apart;
}

// (a, b) → (a·cos − b·sin, a·sin + b·cos)
mat rotated(const mat& A, const mat& angles, uword apart) {
  mat turned(arma::size(A));
  for (uword i = 0; i < angles.n_cols; ++i) {
    const uword a = first_of_pair(i, apart), b = a + apart;
    const vec c = arma::cos(angles.col(i)), s = arma::sin(angles.col(i));
    turned.col(a) = A.col(a) % c - A.col(b) % s;
    turned.col(b) = A.col(a) % s + A.col(b) % c;
  }
  return turned;
}

} // namespace tfx::page
