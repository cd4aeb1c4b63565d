#pragma once
// Everything that decides what a training computes, besides the task's data: the model's shape, how it
// starts, and how it is moved. A checkpoint keeps it; a resumed training follows it.

#include "kernels/adam.hpp"
#include "model/config.hpp"
#include "model/init.hpp"
#include "train/schedule.hpp"
#include "train/task.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

struct Recipe {
  std::string task = "copy", preset = "tiny";
  std::string pairs_file = {}; ///< of the task pairs
  Targets targets = Targets::own;
  Config config = {}; ///< the vocabularies are the task's
  double dropout = 0.1, smoothing = 0.1;
  std::size_t batch = 80;
  std::size_t accumulate = 1; ///< batches whose gradients are added before a step
  double clip = 0;            ///< longest gradient; 0: no limit
  AdamRule adam = {};
  Schedule schedule = {};
  std::uint64_t seed = 42;
  std::uint64_t steps = 400; ///< where the training ends, unless more are asked for
};

/// tiny, small, base.
const std::vector<std::string>& recipe_names();

/// A recipe that is known to work for the task (docs/training.md). Throws Error(usage) with a near miss where
/// there is no such preset.
Recipe recipe_for(const std::string& task, const std::string& preset);

/// The preset that a task is trained with unless another is asked for.
std::string default_preset(const std::string& task);

/// As strings, "train.batch" → "80": every member but the config's sizes, which the tensors show.
std::map<std::string, std::string> metadata_of(const Recipe& recipe);

/// The recipe in a checkpoint's metadata; `config` is that of its model. Throws Error(bad_data) naming `path`
/// where a member is missing or out of its range.
Recipe recipe_of(const std::map<std::string, std::string>& metadata, const Config& config,
                 const std::string& path);

} // namespace tfx
