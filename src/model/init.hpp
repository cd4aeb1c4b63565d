#pragma once
// Weights to start from, drawn from NumPy's stream in checkpoint order, each tensor in PyTorch's shape (out,
// in) in C order.

#include "model/encoder_decoder.hpp"

#include <cstdint>

namespace tfx {

/// xavier_uniform: make_model's. Matrices uniform within ±√(6/(in + out)); biases uniform within ±1/√in, as
///                 nn.Linear leaves them.
/// xavier:         matrices randn·√(2/(in + out)), biases 0, as the tutorial `attention-block`.
/// he:             matrices randn·√(2/in), biases 0.
/// Norms are 1 and 0, and draw nothing.
enum class WeightInit { xavier_uniform, xavier, he };

template <class Real>
void initialize(EncoderDecoder<Real>& model, WeightInit init, std::uint32_t seed);

} // namespace tfx
