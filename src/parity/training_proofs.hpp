#pragma once
// What a training proves of itself, and what the trained model answers.

#include "parity/decoding.hpp"
#include "train/trainer.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Check: the loss has fallen from the first tenth of the steps to the last; none of a few steps.
void check_loss(Trace& trace, const std::vector<double>& losses);

/// Check of a control run, on shuffled targets: it answers no more of the held-out sources than always saying
/// the most common answer would, but for three standard deviations of chance.
void check_control(Trace& trace, const TrainingState& state, const Task& task);

/// A held-out source answered by the trained model.
struct HeldOutSample {
  std::string source, wanted, answer;
  decoding::Decoded decoded; ///< its trace has the alignment
};

/// The longest of a few held-out sources: more to look at than one token.
HeldOutSample held_out_sample(const TrainingState& state, const Task& task);

} // namespace tfx
