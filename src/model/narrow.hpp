#pragma once
// A model that decodes with its weights in 16 or 8 bits.

#include "model/encoder_decoder.hpp"

namespace tfx {

/// The weights that a decoded token reads (of the decoder's layers all but K and V of the memory, and the
/// generator's) are rounded to what the type holds, and stand beside in so many bits: then one token and a
/// whole prefix compute with the same numbers. As floats they stay as they are. Throws Error(no_memory). The
/// model is no more to be trained.
void narrow(EncoderDecoder<float>& model, WeightType type);

/// The same parameters as floats. Throws Error(no_memory).
EncoderDecoder<float> in_float(const EncoderDecoder<double>& model);

/// Bytes of the weights that a decoded token reads: as floats, or as they stand narrow.
std::uint64_t weight_bytes_of_a_token(const EncoderDecoder<float>& model);

} // namespace tfx
