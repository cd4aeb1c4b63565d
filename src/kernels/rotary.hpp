#pragma once
// Rotary positions: the cells of a head turn in pairs, each pair at its own speed, so that the score of a
// query and a key depends on how far apart they stand and not on where.
//
//   pair i of w cells at position p turns by the angle p·base^(−2i/w):
//   (a, b) → (a·cos − b·sin, a·sin + b·cos)
//   neighbours: a and b are the cells 2i and 2i + 1     halves: the cells i and i + w/2
//
// A turn keeps lengths; backward it goes the other way. Angles, cosines and sines are computed in double and
// rounded once to Real: a turned cell is off by 2e-7 (float) or 4e-16 (double), and by p·3e-16, of its pair's
// length. Source: Su et al. 2021 (RoFormer); the halves are GPT-NeoX's.

#include "core/architecture.hpp"
#include "core/view.hpp"

namespace tfx {

/// How every pair turns at positions 0, 1, …: cosines and sines, w/2 × positions each.
template <class Real>
struct RotaryAngles {
  MatrixView<const Real> cosines, sines;
  RotaryPairs pairs = RotaryPairs::neighbours;
};

/// Fills both, w/2 × positions, for the positions from `first` on.
template <class Real>
void rotary_angles(MatrixView<Real> cosines, MatrixView<Real> sines, double base, std::size_t first = 0);

/// Turns x in place: heads of w cells, one below the other, by tokens, of which the first stands at position
/// `first` of the table. x.rows is a multiple of w, which is even.
template <class Real>
void rotate(MatrixView<Real> x, const RotaryAngles<Real>& angles, std::size_t first = 0);

/// Turns it back. That is the backward pass too: the gradient of rotate()'s result becomes that of its x.
template <class Real>
void rotate_back(MatrixView<Real> x, const RotaryAngles<Real>& angles, std::size_t first = 0);

} // namespace tfx
