#include "bench/presets.hpp"

#include <algorithm>
#include <array>

namespace tfx::bench {

namespace {

EncoderDecoderShape model_shape(std::size_t layers, std::size_t vocab, std::size_t batch, std::size_t src,
                                std::size_t tgt) {
  EncoderDecoderShape shape;
  shape.config.layers = layers;
  shape.config.src_vocab = shape.config.tgt_vocab = vocab;
  shape.batch = batch, shape.src = src, shape.tgt = tgt;
  return shape;
}

} // namespace

std::string name_of(What what) {
  constexpr std::array<const char*, 4> names{"attention", "model", "train", "decode"};
  return names[static_cast<std::size_t>(what)];
}

const std::vector<WorkPreset>& presets() {
  static const std::vector<WorkPreset> all{
      {"A1", What::attention, AttentionShape{}},
      {"A2", What::attention, AttentionShape{4, 256, 256, 4, 10'000, Mask::causal}},
      {"A3", What::attention, AttentionShape{1, 2048, 512, 8, 10'000, Mask::causal}},
      {"A4", What::attention, AttentionShape{1, 8192, 512, 8, 10'000, Mask::causal}},
      {"B11", What::model, model_shape(6, 11, 8, 64, 64)},
      {"B10k", What::model, model_shape(6, 10'000, 8, 64, 64)},
      {"C", What::train, model_shape(2, 11, 80, 10, 9)}, // ten tokens, of which nine are read and nine said
      {"D11", What::decode, model_shape(6, 11, 1, 64, 64)},
      {"D10k", What::decode, model_shape(6, 10'000, 1, 64, 64)},
  };
  return all;
}

const WorkPreset* find_preset(const std::string& name) {
  const auto found = std::ranges::find(presets(), name, &WorkPreset::name);
  return found == presets().end() ? nullptr : &*found;
}

const WorkPreset& default_preset(What what) {
  return *std::ranges::find(presets(), what, &WorkPreset::what);
}

} // namespace tfx::bench
