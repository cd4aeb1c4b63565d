#include "bench/work.hpp"

#include "model/model_spec.hpp"

#include <algorithm>

namespace tfx::bench {

namespace {

constexpr double flops_of_mac = 2;

double real(std::size_t count) {
  return static_cast<double>(count);
}

double encoder_macs(const EncoderDecoderShape& s) {
  const double d = real(s.spec.d_model), f = real(s.spec.d_ff), n = real(s.src);
  return real(s.spec.layers) * (4 * n * d * d + 2 * n * n * d + 2 * n * d * f);
}

} // namespace

Work attention_work(const AttentionShape& s) {
  const double n = real(s.seq), d = real(s.d_model), batch = real(s.batch);
  const double pairs = s.mask == Mask::causal ? n * (n + 1) / 2 : n * n;
  return {flops_of_mac * batch * (4 * n * d * d + 2 * d * pairs), 0, s.tokens()};
}

Work model_work(const EncoderDecoderShape& s) {
  const double d = real(s.spec.d_model), f = real(s.spec.d_ff), n = real(s.src), m = real(s.tgt);
  const double self = 4 * m * d * d + m * (m + 1) * d;
  const double cross = 2 * m * d * d + 2 * n * d * d + 2 * m * n * d;
  const double decoder = real(s.spec.layers) * (self + cross + 2 * m * d * f);
  const double generator = m * d * real(s.spec.tgt_vocab);
  return {flops_of_mac * real(s.batch) * (encoder_macs(s) + decoder + generator), 0,
          s.batch * (s.src + s.tgt)};
}

Work train_work(const EncoderDecoderShape& s) {
  Work work = model_work(s);
  work.flops *= 3;
  work.tokens = s.batch * s.tgt;
  return work;
}

Work decode_work(const EncoderDecoderShape& s) {
  const double d = real(s.spec.d_model), f = real(s.spec.d_ff), n = real(s.src), m = real(s.tgt),
               layers = real(s.spec.layers), vocab = real(s.spec.tgt_vocab), batch = real(s.batch);
  const double step_weights = layers * (6 * d * d + 2 * d * f) + d * vocab,
               encoder_weights = layers * (4 * d * d + 2 * d * f) + layers * 2 * d * d;
  const double keys = m * (m + 1) / 2 + m * n; // that the queries of all steps see
  const double macs = encoder_macs(s) + layers * 2 * n * d * d + m * step_weights + layers * 2 * d * keys;
  const double numbers = encoder_weights + batch * layers * 2 * d * keys;
  const double rows = layers * (7 * d + f) + vocab; // of the weights, each with its scale in int8
  const double step_bytes = s.weights == WeightType::f32    ? sizeof(float) * step_weights
                            : s.weights == WeightType::bf16 ? 2 * step_weights
                                                            : step_weights + sizeof(float) * rows;
  return {flops_of_mac * batch * macs, sizeof(float) * numbers + m * step_bytes, s.batch * s.tgt};
}

namespace {

/// A text's vocabulary, where the names say 10k; the others have the copy task's.
constexpr std::size_t large_vocabulary = 10'000;

EncoderDecoderShape model_shape(const char* name, std::size_t batch, std::size_t src, std::size_t tgt) {
  return {preset(name), batch, src, tgt};
}

EncoderDecoderShape with_large_vocabulary(EncoderDecoderShape shape) {
  shape.spec.src_vocab = shape.spec.tgt_vocab = large_vocabulary;
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
