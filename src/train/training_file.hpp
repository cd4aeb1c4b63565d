#pragma once
// What a training leaves on disk: its state between two steps, and a log of the steps. The state is a
// .safetensors file with a checksum (io/safetensors.hpp), which decodes like any model; beside the parameters
// stand Adam's moments, losses and accuracies, and in the metadata the model card, the configuration and the
// step (docs/file_formats.md). The log is CSV, a row a step, written as they are made:
// step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss,bleu,chrf,bits_per_byte, where right to
// bits_per_byte stand only in the rows of steps whose accuracy was measured, bleu and chrf only of own pairs;
// a log without these two, as tfx once wrote it, is gone on with.

#include "io/array.hpp"
#include "io/open_file.hpp"
#include "model/model_card.hpp"
#include "train/trainer.hpp"

#include <optional>
#include <string>

namespace tfx {

// A training between two steps, as a .safetensors file with a checksum (io/safetensors.hpp): the model's
// parameters under their own names, so that it decodes like any model; beside them
//
//   adam.m.NAME, adam.v.NAME   what Adam keeps of every parameter
//   training.losses            the loss of every step made (steps,)
//   training.accuracies        step, right, of (k, 3)
//
// and in the metadata the model card, the training's configuration and the step. docs/file_formats.md
// describes it.

ModelCard card_of(const TaskFacts& facts);

/// Replaces the file whole or not at all; what it replaces stays as PATH.prev. Throws what
/// write_file_atomically throws.
void save_training(const TrainingState& state, const TaskFacts& facts, const std::string& path);

/// The parameters and the model card alone, for decoding, as f32 or f16. Throws Error(bad_data) where a
/// weight is too large for f16.
void save_weights(const TrainingState& state, const TaskFacts& facts, const std::string& path,
                  DType dtype = DType::f32);

struct LoadedTraining {
  TrainingState state;
  ModelCard card;
};

/// Throws Error(bad_data) where the file is no training, is damaged, or does not fit itself.
LoadedTraining load_training(const std::string& path);

// The steps of a training as CSV, a row each, written as they are made:
//
//   step,loss,learning_rate,gradient_norm,tokens,right,of,held_out_loss,bleu,chrf,bits_per_byte
//
// right to chrf stand only in the rows of steps whose accuracy was measured, bleu and chrf only of own pairs.
// A log without these two, as tfx once wrote it, is gone on with.

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
