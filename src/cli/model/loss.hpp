#pragma once
// `tfx model --labels … --grad`: the loss of what the model says, and the gradient of every parameter.

#include "cli/model/options.hpp"
#include "parity/recorder.hpp"
#include "trace/trace.hpp"

namespace tfx {

struct LossOptions {
  std::optional<std::string> labels, smoothing;
  bool grad = false;
};

void add_loss_options(CLI::App& command, LossOptions& options);

/// Adds `loss` to the trace (the label-smoothed Kullback-Leibler divergence of a token that is not padding),
/// and with --grad one d.NAME a parameter. The gradient is checked along one random direction, all parameters
/// at once, by a central difference in double; not of large models, whose check would take long. Nothing
/// without --labels. Throws Error(usage) where rows, numbers or options do not fit, Error(bad_data) where a
/// label is not in the vocabulary.
template <class Real>
void add_loss(Trace& trace, const EncoderDecoder<Real>& model, const ModelBatches& batches,
              const LossOptions& options, const Keep& keep);

} // namespace tfx
