#pragma once
// A training between two steps, as a .safetensors file with a checksum (io/checksum.hpp): the model's
// parameters under their own names, so that it decodes like any model; beside them
//
//   adam.m.NAME, adam.v.NAME   what Adam keeps of every parameter
//   training.losses            the loss of every step made (steps,)
//   training.accuracies        step, right, of (k, 3)
//
// and in the metadata the model card, the training's configuration and the step. docs/file_formats.md
// describes it.

#include "io/array.hpp"
#include "model/model_card.hpp"
#include "train/trainer.hpp"

#include <string>

namespace tfx {

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

} // namespace tfx
