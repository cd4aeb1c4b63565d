#pragma once
// A model and its copy in double, which a case is compared with.

#include "bench/work.hpp"
#include "model/encoder_decoder.hpp"

namespace tfx::bench {

/// The same parameters in double. Throws Error(no_memory).
EncoderDecoder<double> widened(const EncoderDecoder<float>& model);

/// Which of its activations a forward pass keeps.
enum class KeptActivations { nothing, for_backward };

/// Throws Error(bad_data) where the shape makes no model; Error(no_memory) where the model, its copy in
/// double and the activations of a pass do not fit, for backward also gradient and moments.
void require_room(const EncoderDecoderShape& shape, KeptActivations kept);

} // namespace tfx::bench
