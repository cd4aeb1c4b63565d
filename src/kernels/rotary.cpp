#include "kernels/rotary.hpp"

#include "kernels/simd/run.hpp"

#include <cmath>

namespace tfx {

namespace {

enum class Turn { forward, back };

} // namespace

} // namespace tfx

#define TFX_KERNEL "kernels/rotary.inc"
#include "kernels/simd/each_isa.inc"

namespace tfx {

namespace {

template <class Real>
void turn(MatrixView<Real> x, const RotaryAngles<Real>& angles, std::size_t first, Turn direction) {
  const std::size_t pairs = angles.cosines.rows;
  assert(angles.sines.rows == pairs && angles.sines.cols == angles.cosines.cols);
  assert(pairs == 0 ? x.rows == 0 : x.rows % (2 * pairs) == 0);
  if (pairs == 0) return;
  const RotaryAngles<Real> of_tokens{angles.cosines.columns(first, x.cols),
                                     angles.sines.columns(first, x.cols), angles.pairs};
  TFX_CALL(turn_columns, x, of_tokens, direction);
}

} // namespace

template <class Real>
void rotary_angles(MatrixView<Real> cosines, MatrixView<Real> sines, double base, std::size_t first) {
  assert(cosines.rows == sines.rows && cosines.cols == sines.cols);
  for (std::size_t i = 0; i < cosines.rows; ++i) {
    const double speed = std::pow(base, -static_cast<double>(i) / static_cast<double>(cosines.rows));
    for (std::size_t p = 0; p < cosines.cols; ++p) {
      const double angle = static_cast<double>(first + p) * speed;
      cosines(i, p) = static_cast<Real>(std::cos(angle));
      sines(i, p) = static_cast<Real>(std::sin(angle));
    }
  }
}

template <class Real>
void rotate(MatrixView<Real> x, const RotaryAngles<Real>& angles, std::size_t first) {
  turn(x, angles, first, Turn::forward);
}

template <class Real>
void rotate_back(MatrixView<Real> x, const RotaryAngles<Real>& angles, std::size_t first) {
  turn(x, angles, first, Turn::back);
}

template void rotary_angles(MatrixView<float>, MatrixView<float>, double, std::size_t);
template void rotary_angles(MatrixView<double>, MatrixView<double>, double, std::size_t);
template void rotate(MatrixView<float>, const RotaryAngles<float>&, std::size_t);
template void rotate(MatrixView<double>, const RotaryAngles<double>&, std::size_t);
template void rotate_back(MatrixView<float>, const RotaryAngles<float>&, std::size_t);
template void rotate_back(MatrixView<double>, const RotaryAngles<double>&, std::size_t);

} // namespace tfx
