#pragma once
// The shape and the style of an encoder-decoder.

#include "layers/decoder_layer.hpp"

#include <cstddef>

namespace tfx {

/// The defaults are make_model's of The Annotated Transformer: N=6, d_model=512, d_ff=2048, h=8, dropout=0.1.
struct Config {
  std::size_t layers = 6; ///< of the encoder, and as many of the decoder
  std::size_t d_model = 512, d_ff = 2048;
  std::size_t src_vocab = 0, tgt_vocab = 0;
  LayerStyle style = {};      ///< heads, norm, activation
  std::size_t max_len = 5000; ///< tokens of a sequence, at most
};

/// Throws Error(bad_data) where a size is 0 or the heads do not divide the width.
void require_valid(const Config& config);

} // namespace tfx
