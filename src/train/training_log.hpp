#pragma once
// The steps of a training as CSV, a row each, written as they are made:
//
//   step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss,bleu,chrf
//
// right to chrf stand only in the rows of steps whose accuracy was measured, bleu and chrf only of own pairs.
// A log without these two, as tfx once wrote it, is gone on with.

#include "io/descriptor.hpp"
#include "train/trainer.hpp"

#include <optional>
#include <string>

namespace tfx {

class TrainingLog {
public:
  /// Begins a new file; where `made` steps are resumed from, keeps that many rows of an old one. Throws
  /// Error(cannot_write), Error(io).
  TrainingLog(std::string path, std::uint64_t made);

  void add(std::uint64_t step, const StepReport& report, const std::optional<Accuracy>& accuracy);

private:
  std::string path_;
  Descriptor file_;
};

} // namespace tfx
