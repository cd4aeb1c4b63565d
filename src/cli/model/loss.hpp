#pragma once
// `tfx model --labels … --grad`: the loss of what the model says, and the gradient of every parameter.

#include "cli/model/options.hpp"
#include "parity/model_run.hpp"
#include "train/gradient_descent.hpp"

namespace tfx {

struct LossOptions {
  std::optional<std::vector<TokenIds>> labels; ///< a row for each target
  std::optional<double> smoothing;             ///< in [0, 1)
  bool grad = false;
};

const std::vector<Option<LossOptions>>& loss_options();

/// The labels in the shape of the target, filled up with padding: those of --labels, else what the model was
/// given to say; empty where nobody said it. Throws Error(usage) where rows or numbers do not fit, where a
/// label is not in the vocabulary, or where --grad or --smoothing have none.
TokenIds labels_of(const LossOptions& options, const ModelBatches& batches, const TokenIds& expected,
                   std::size_t vocabulary);

/// What record_loss adds, with the gradient for --grad. Nothing without labels.
template <class Real>
void add_loss(Trace& trace, const EncoderDecoder<Real>& model, const TrainingBatch& batch,
              const LossOptions& options, std::uint32_t pad, const Keep& keep);

} // namespace tfx
