#pragma once
// `tfx model --labels … --grad`: the loss of what the model says, and the gradient of every parameter.

#include "cli/model/options.hpp"
#include "parity/recorder.hpp"
#include "trace/trace.hpp"

namespace tfx {

struct LossOptions {
  std::optional<std::vector<TokenIds>> labels; ///< a row for each target
  std::optional<double> smoothing;             ///< in [0, 1)
  bool grad = false;
};

const std::vector<Option<LossOptions>>& loss_options();

/// What record_loss adds, with the gradient for --grad. Nothing without --labels. Throws Error(usage) where
/// rows or numbers do not fit, Error(bad_data) where a label is not in the vocabulary.
template <class Real>
void add_loss(Trace& trace, const EncoderDecoder<Real>& model, const ModelBatches& batches,
              const LossOptions& options, const Keep& keep);

} // namespace tfx
