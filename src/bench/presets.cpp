#include "bench/presets.hpp"

#include "model/presets.hpp"

#include <algorithm>

namespace tfx::bench {

namespace {

/// A text's vocabulary, where the names say 10k; the others have the copy task's.
constexpr std::size_t large_vocabulary = 10'000;

EncoderDecoderShape model_shape(const char* name, std::size_t batch, std::size_t src, std::size_t tgt) {
  return {preset(name), batch, src, tgt};
}

EncoderDecoderShape with_large_vocabulary(EncoderDecoderShape shape) {
  shape.config.src_vocab = shape.config.tgt_vocab = large_vocabulary;
  return shape;
}

} // namespace

const Choices<What>& works() {
  static const Choices<What> all{{"attention", What::attention},
                                 {"model", What::model},
                                 {"train", What::train},
                                 {"decode", What::decode}};
  return all;
}

std::string name_of(What what) {
  return word_of(works(), what);
}

const std::vector<WorkPreset>& presets() {
  static const std::vector<WorkPreset> all{
      {"A1", What::attention, AttentionShape{}},
      {"A2", What::attention, AttentionShape{4, 256, 256, 4, 10'000, Mask::causal}},
      {"A3", What::attention, AttentionShape{1, 2048, 512, 8, 10'000, Mask::causal}},
      {"A4", What::attention, AttentionShape{1, 8192, 512, 8, 10'000, Mask::causal}},
      {"B11", What::model, model_shape("annotated", 8, 64, 64)},
      {"B10k", What::model, with_large_vocabulary(model_shape("annotated", 8, 64, 64))},
      {"C", What::train,
       model_shape("copy-task", 80, 10, 9)}, // ten tokens, of which nine are read and nine said
      {"D11", What::decode, model_shape("annotated", 1, 64, 64)},
      {"D10k", What::decode, with_large_vocabulary(model_shape("annotated", 1, 64, 64))},
  };
  return all;
}

std::vector<std::string> work_preset_names() {
  std::vector<std::string> names;
  for (const WorkPreset& one : presets()) names.push_back(one.name);
  return names;
}

const WorkPreset* find_preset(const std::string& name) {
  const auto found = std::ranges::find(presets(), name, &WorkPreset::name);
  return found == presets().end() ? nullptr : &*found;
}

const WorkPreset& default_preset(What what) {
  return *std::ranges::find(presets(), what, &WorkPreset::what);
}

} // namespace tfx::bench
