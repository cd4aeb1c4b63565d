#pragma once
// What a model is made of, and the architectures with a name: one table, which `tfx
// model`, `train`, `params`, `bench` and `report` all read. A preset has no vocabulary: that is the task's.
// Where no task is asked for it is the copy task's, so that a name stands for one number of parameters
// wherever it is typed.

#include "core/architecture.hpp"
#include "layers/layer_spec.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Which stacks a model has: both, as the paper's; the decoder alone, as GPT, whose blocks have no
/// cross-attention; the encoder alone, as BERT, without a generator.
enum class Stacks { both, decoder, encoder };
inline const Choices<Stacks>& family_words() {
  static const Choices<Stacks> all{
      {"encoder-decoder", Stacks::both}, {"decoder", Stacks::decoder}, {"encoder", Stacks::encoder}};
  return all;
}

/// The defaults are make_model's of The Annotated Transformer: dropout=0.1 besides.
struct ModelSpec : LayerSpec {
  std::size_t layers = 6; ///< of each stack
  Stacks stacks = Stacks::both;
  std::size_t src_vocab = 0, tgt_vocab = 0;
  std::size_t max_len = 5000;   ///< tokens of a sequence, at most
  bool scaled_embedding = true; ///< times √d_model
  bool embedding_norm = false;  ///< the layers' norm after embedding and positions
  bool final_norm = true;       ///< the layers' norm after the last one
  bool tied = false;            ///< the generator is the table of the target's embedding

  bool has_encoder() const { return stacks != Stacks::decoder; }
  bool has_decoder() const { return stacks != Stacks::encoder; }

  Architecture sizes() const { return {layers, d_model, d_ff, heads}; }
  void resize(const Architecture& sizes) {
    layers = sizes.layers, d_model = sizes.d_model, d_ff = sizes.d_ff, heads = sizes.heads;
  }

  bool operator==(const ModelSpec&) const = default;
};

/// A decoder alone with GPT-2's norm, activation and positions; its sizes stay.
void choose_gpt2_parts(ModelSpec& spec);

/// Throws Error(bad_data) where a size is 0 or the heads do not divide the width.
void require_valid(const ModelSpec& spec);

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
ModelSpec preset(const std::string& name);

} // namespace tfx
