#pragma once
// The shape and the style of an encoder-decoder.

#include "core/architecture.hpp"
#include "layers/decoder_layer.hpp"

namespace tfx {

/// The defaults are make_model's of The Annotated Transformer: dropout=0.1 besides.
struct Config : Architecture {
  std::size_t src_vocab = 0, tgt_vocab = 0;
  NormStyle norm = {};
  Activation activation = Activation::relu;
  std::size_t max_len = 5000; ///< tokens of a sequence, at most

  /// What each of its layers does.
  LayerStyle style() const { return {heads, norm, activation}; }
};

/// Throws Error(bad_data) where a size is 0 or the heads do not divide the width.
void require_valid(const Config& config);

} // namespace tfx
