#pragma once
// What a training proves of itself, and what the trained model answers.

#include "parity/decoding.hpp"
#include "train/trainer.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Check: the loss has fallen from the first tenth of the steps to the last; none of a few steps. Facts:
/// both, and which way it went.
void check_loss(Trace& trace, const std::vector<double>& losses);

/// Check of a control run, on shuffled targets: it answers no more of the held-out sources than always saying
/// the most common answer would, but for three standard deviations of chance.
void check_control(Trace& trace, const TrainingState& state, const Task& task);

/// A held-out source answered by the trained model: the longest of a few, more to look at than one token.
struct HeldOutSample {
  std::string source, wanted, answer;
};

HeldOutSample held_out_sample(const TrainingState& state, const Task& task);

/// Where the model looked at that source's tokens after a step, its true target read along.
struct AttentionMoment {
  std::uint64_t step = 0;
  Step alignment;
};

/// The steps after which a training's attention is looked at: none, an eighth, a quarter, a half, all of
/// them.
bool is_moment(std::uint64_t step, std::uint64_t steps);

/// Of a task that holds something out.
AttentionMoment attention_now(const TrainingState& state, const Task& task);

/// What the next step meets first that is NaN or +∞: an activation of the forward pass, or else a gradient,
/// "d." and its parameter, or else the gradient's length.
std::string first_not_finite(const TrainingState& state, const EncoderDecoder<float>& gradient,
                             const Task& task);

} // namespace tfx
