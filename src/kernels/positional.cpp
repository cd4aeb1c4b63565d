#include "kernels/positional.hpp"

#include <cmath>

namespace tfx {

template <class Real>
void sinusoidal_positions(MatrixView<Real> table, std::size_t first) {
  const double step = -(std::log(10000.0) / static_cast<double>(table.rows));
  for (std::size_t i = 0; i < table.rows; ++i) {
    const double frequency = std::exp(static_cast<double>(i - i % 2) * step);
    for (std::size_t p = 0; p < table.cols; ++p) {
      const double angle = static_cast<double>(first + p) * frequency;
      table(i, p) = static_cast<Real>(i % 2 == 0 ? std::sin(angle) : std::cos(angle));
    }
  }
}

template void sinusoidal_positions(MatrixView<float>, std::size_t);
template void sinusoidal_positions(MatrixView<double>, std::size_t);

} // namespace tfx
