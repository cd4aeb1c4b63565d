#pragma once
// Weights to start from, and weights to decode with. The first are drawn from NumPy's stream in checkpoint
// order, each tensor in PyTorch's shape (out, in) in C order; the others are rounded to 16 or 8 bits.

#include "model/transformer.hpp"

#include <cstdint>

namespace tfx {

/// xavier_uniform: make_model's. Matrices uniform within ±√(6/(in + out)); biases uniform within ±1/√in, as
///                 nn.Linear leaves them.
/// xavier:         matrices randn·√(2/(in + out)), biases 0, as the tutorial `attention-block`.
/// he:             matrices randn·√(2/in), biases 0.
/// gpt2:           matrices randn·0.02, those that write to the residual stream (W_O and the feed-forward's
///                 last) divided by √(2·layers); biases 0.
/// microgpt:       matrices gauss(0, 0.08) of Python's random, in the order of microgpt's list: tokens,
///                 positions, output, then W_Q, W_K, W_V, W_O, W_1, W_2 of each layer; biases 0.
/// Norms are 1 and 0, and draw nothing.
enum class WeightInit { xavier_uniform, xavier, he, gpt2, microgpt };
inline const Choices<WeightInit>& weight_init_words() {
  static const Choices<WeightInit> all{{"xavier-uniform", WeightInit::xavier_uniform},
                                       {"xavier", WeightInit::xavier},
                                       {"he", WeightInit::he},
                                       {"gpt2", WeightInit::gpt2},
                                       {"microgpt", WeightInit::microgpt}};
  return all;
}

/// `shuffled`: how many documents microgpt has shuffled with the same seed before.

template <class Real>
void initialize(Transformer<Real>& model, WeightInit init, std::uint32_t seed, std::size_t shuffled = 0);

/// The weights that a decoded token reads (of the decoder's layers all but K and V of the memory, and the
/// generator's) are rounded to what the type holds, and stand beside in so many bits: then one token and a
/// whole prefix compute with the same numbers. As floats they stay as they are. Throws Error(no_memory). The
/// model is no more to be trained.
void narrow(Transformer<float>& model, WeightType type);

/// The same parameters as floats. Throws Error(no_memory).
Transformer<float> in_float(const Transformer<double>& model);
/// The same as doubles. Throws Error(no_memory).
Transformer<double> in_double(const Transformer<float>& model);

/// Bytes of the weights that a decoded token reads: as floats, or as they stand narrow.
std::uint64_t weight_bytes_of_a_token(const Transformer<float>& model);

} // namespace tfx
