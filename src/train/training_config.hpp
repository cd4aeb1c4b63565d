#pragma once
// Everything that decides what a training computes, besides the task's data: the model's shape, its starting
// weights, and how they are updated. A checkpoint keeps it; a resumed training follows it.

#include "kernels/adam.hpp"
#include "model/model_spec.hpp"
#include "model/weights.hpp"
#include "train/corpus.hpp"
#include "train/gradient_descent.hpp"
#include "train/task.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

struct TrainingConfig {
  std::string task = "copy", preset = "tiny";
  std::string pairs_file = {}, validation_file = {}; ///< of the task pairs
  std::size_t min_count = 1;                         ///< of a token of the task pairs
  Targets targets = Targets::own;
  std::size_t examples = 0;                ///< that are trained on; 0: all that there are
  NumberDraws draws = NumberDraws::digits; ///< of numbers-zh; as in files that do not say it
  CorpusRule corpus = {}; ///< of the task corpus, but for min_count and seed, which stand here
  ModelSpec model = {};   ///< its vocabularies are the task's
  WeightInit init = WeightInit::xavier_uniform;
  double dropout = 0.1, smoothing = 0.1;
  std::size_t batch = 80;
  std::size_t accumulate = 1; ///< batches whose gradients are added before a step
  double clip = 0;            ///< the largest norm of the gradient; 0: no limit
  AdamRule adam = {};
  Decayed decayed = Decayed::all;
  Schedule schedule = {};
  std::uint64_t seed = 42;
  std::uint64_t steps = 400; ///< where the training ends, unless more are asked for
};

/// tiny, small, base of encoder-decoders; gpt-micro, llama-micro, microgpt of models that go on with a text.
const std::vector<std::string>& training_preset_names();

/// A configuration that is known to work for the task (docs/training.md). Throws Error(usage) with a near
/// miss where there is no such preset, or where it is one of the other family.
TrainingConfig training_config_for(const std::string& task, const std::string& preset);

/// The preset that a task is trained with unless another is asked for.
std::string default_preset(const std::string& task);

/// As strings, "train.batch" → "80": every member but the model's sizes, which the tensors show.
std::map<std::string, std::string> metadata_of(const TrainingConfig& config);

/// The configuration in a checkpoint's metadata; `model` is its model's. Throws Error(bad_data) naming `path`
/// where a member is missing or out of its range.
TrainingConfig training_config_of(const std::map<std::string, std::string>& metadata, const ModelSpec& model,
                                  const std::string& path);

} // namespace tfx
