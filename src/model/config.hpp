#pragma once
// The shape and the style of an encoder-decoder, and the architectures with a name: one table, which `tfx
// model`, `train`, `params`, `bench` and `report` all read. A preset has no vocabulary: that is the task's.
// Where no task is asked for it is the copy task's, so that a name stands for one number of parameters
// wherever it is typed.

#include "core/architecture.hpp"
#include "layers/transformer_layer.hpp"

#include <string>
#include <vector>

namespace tfx {

/// The defaults are make_model's of The Annotated Transformer: dropout=0.1 besides.
struct Config : Architecture {
  std::size_t src_vocab = 0, tgt_vocab = 0;
  NormStyle norm = {};
  Activation activation = Activation::relu;
  std::size_t max_len = 5000; ///< tokens of a sequence, at most

  /// What each of its layers does.
  LayerStyle style() const { return {heads, norm, activation}; }
};

/// Throws Error(bad_data) where a size is 0 or the heads do not divide the width.
void require_valid(const Config& config);

struct ModelPreset {
  std::string name;
  Architecture architecture;
};

/// toy: small enough to print every number; tiny learns the copy task in seconds; small is what the shipped
/// models are; base and copy-task are the notebook's first example; annotated is make_model as it is called
/// without sizes.
const std::vector<ModelPreset>& model_presets();

std::vector<std::string> preset_names();

/// Throws Error(usage) with the names that there are.
const Architecture& architecture_of(const std::string& preset);

/// The notebook's first example: ids from 0, padding, to 10.
constexpr std::size_t copy_task_vocabulary = 11;

/// The preset with the copy task's vocabulary. Throws as architecture_of does.
Config preset(const std::string& name);

} // namespace tfx
