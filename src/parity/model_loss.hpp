#pragma once
// The loss of the engine's model as a learner reads it, and the gradient of every parameter.

#include "model/encoder_decoder.hpp"
#include "parity/recorder.hpp"
#include "train/loss.hpp"

namespace tfx {

enum class WithGradient { yes, no };

/// Adds `loss` to the trace (the label-smoothed Kullback-Leibler divergence of a token that is not padding,
/// of which there is one), and with the gradient one d.NAME a parameter. The gradient is checked along one
/// random direction, all parameters at once, by a central difference in double; not of large models, whose
/// check would take long.
template <class Real>
void record_loss(Trace& trace, const EncoderDecoder<Real>& model, const TrainingBatch& batch,
                 const Smoothing& smoothing, WithGradient with_gradient, const Keep& keep);

} // namespace tfx
