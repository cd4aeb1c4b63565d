#pragma once
// From examples to the gradient of every parameter: one training step up to the optimizer.
//
// A target is shifted against itself: the decoder reads all tokens but the last and is to say all but the
// first. The loss is kernels/cross_entropy's, divided by the number of tokens that are not padding.

#include "kernels/cross_entropy.hpp"
#include "model/encoder_decoder.hpp"

namespace tfx {

/// What one training step reads: tokens of the source, the target as read, and what is to be said.
struct TrainingBatch {
  Batch src, tgt;
  TokenIds labels; ///< one a token of tgt
};

struct Loss {
  double sum = 0;         ///< in nats
  std::size_t tokens = 0; ///< that are not padding
  double mean() const { return tokens ? sum / static_cast<double>(tokens) : 0; }
};

/// How many labels are not padding.
std::size_t count_tokens(const TokenIds& labels, std::uint32_t pad);

/// The loss of logits, vocabulary × tokens, which become its gradient divided by `divisor`. Throws
/// Error(bad_data) where a label is not in the vocabulary, or where it is too small to be smoothed;
/// Error(usage) for a smoothing outside [0, 1).
template <class Real>
Loss loss_and_gradient(arma::Mat<Real>& logits, const TokenIds& labels, const Smoothing& smoothing,
                       double divisor);

/// Adds the gradient of loss/divisor to every parameter's; → the loss.
template <class Real>
Loss add_gradient(const Trainable<EncoderDecoder<Real>>& model, const TrainingBatch& batch,
                  const Smoothing& smoothing, double divisor, const ForwardContext<Real>& context = {});

/// A model of the same shape, all zeros.
template <class Real>
EncoderDecoder<Real> zeros_like(const EncoderDecoder<Real>& model);

} // namespace tfx
