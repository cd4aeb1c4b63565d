#pragma once
// The sinusoidal table of positions.
//
//   P(2i, p) = sin(p·ω)   P(2i + 1, p) = cos(p·ω)      ω = exp(−2i·ln(10000)/d_model)
//
// computed in double as The Annotated Transformer computes it, exponential of a logarithm included:
// 10000^(−2i/d) rounds otherwise. Source: Vaswani et al. 2017, section 3.5.

#include "core/view.hpp"

namespace tfx {

/// table d_model × n: the positions first … first + n − 1.
template <class Real>
void sinusoidal_positions(MatrixView<Real> table, std::size_t first = 0);

} // namespace tfx
