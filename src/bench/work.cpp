#include "bench/work.hpp"

#include "model/counts.hpp"
#include "train/training_config.hpp"

#include <algorithm>

namespace tfx::bench {

namespace {

constexpr double flops_of_mac = 2;

double real(std::uint64_t count) {
  return static_cast<double>(count);
}

Sequences one_sequence(std::size_t tokens) {
  Sequences one;
  if (tokens > 0) one.append(tokens);
  return one;
}

} // namespace

Work attention_work(const AttentionShape& s) {
  const double n = real(s.seq), d = real(s.d_model), batch = real(s.batch);
  const double pairs = s.mask == Mask::causal ? n * (n + 1) / 2 : n * n;
  return {flops_of_mac * batch * (4 * n * d * d + 2 * d * pairs), 0, s.tokens()};
}

Work model_work(const TransformerShape& s) {
  const std::uint64_t macs =
      forward_macs(s.spec, one_sequence(s.sources()), one_sequence(s.tgt), CountedPairs::seen);
  return {flops_of_mac * real(s.batch) * real(macs), 0, s.batch * (s.sources() + s.tgt)};
}

Work train_work(const TransformerShape& s) {
  Work work = model_work(s);
  work.flops *= 3;
  work.tokens = s.batch * s.tgt;
  return work;
}

Work decode_work(const TransformerShape& s) {
  const std::size_t n = s.sources(), steps = s.tgt - 1; // and the pass through the prompt
  ModelSpec encoder = s.spec;
  encoder.stacks = Stacks::encoder;
  const std::uint64_t generator = s.spec.d_model * s.spec.tgt_vocab;
  std::uint64_t macs = read_macs(s.spec, n, 0, s.prompt + steps, CountedPairs::seen) + steps * generator,
                encoder_weights = 0, cached = 0;
  if (n > 0) {
    macs += forward_macs(encoder, one_sequence(n), {}) + memory_macs(s.spec, n);
    encoder_weights = token_matrices(encoder).numbers + memory_macs(s.spec, 1);
  }
  for (std::size_t m = s.prompt; m <= s.prompt + steps; ++m)
    cached += cached_numbers(s.spec, n, s.spec.window ? std::min(m, s.spec.window) : m);
  const auto [numbers, rows] = token_matrices(s.spec);
  const bool narrow_generator = !s.spec.tied; // a table of embeddings stays as it is
  const double narrowed = real(numbers + (narrow_generator ? generator : 0)),
               scales = real(rows + (narrow_generator ? s.spec.tgt_vocab : 0)),
               as_floats = real(narrow_generator ? 0 : generator);
  const double step_bytes =
      sizeof(float) * as_floats + (s.weights == WeightType::f32    ? sizeof(float) * narrowed
                                   : s.weights == WeightType::bf16 ? 2 * narrowed
                                                                   : narrowed + sizeof(float) * scales);
  return {flops_of_mac * real(s.batch) * real(macs),
          sizeof(float) * (real(encoder_weights) + real(s.batch) * real(cached)) + real(s.tgt) * step_bytes,
          s.batch * s.tgt};
}

namespace {

/// A text's vocabulary, where the names say 10k; the others have the copy task's.
constexpr std::size_t large_vocabulary = 10'000;

TransformerShape model_shape(const char* name, std::size_t batch, std::size_t src, std::size_t tgt) {
  return {preset(name), batch, src, tgt};
}

TransformerShape with_large_vocabulary(TransformerShape shape) {
  shape.spec.src_vocab = shape.spec.tgt_vocab = large_vocabulary;
  return shape;
}

/// GPT-2's parts at the size of `annotated`: pre-norm, GELU by tanh, learned positions, a tied generator.
TransformerShape gpt(std::size_t prompt, std::size_t tgt) {
  TransformerShape shape = with_large_vocabulary(model_shape("annotated", 1, 0, tgt));
  ModelSpec& spec = shape.spec;
  choose_gpt2_parts(spec);
  spec.max_len = 1024, spec.tied = true;
  shape.prompt = prompt, shape.smoothing = 0;
  return shape;
}

/// The step that `tfx train --corpus` makes of a text with 64 characters.
TransformerShape gpt_micro() {
  const TrainingConfig config = training_config_for("corpus", "gpt-micro");
  TransformerShape shape{config.model, config.batch, 0, config.model.max_len};
  shape.spec.tgt_vocab = 64;
  shape.smoothing = config.smoothing, shape.dropout = config.dropout;
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

const Choices<Stacks>& families() {
  static const Choices<Stacks> all = [] { // an encoder alone decodes nothing
    Choices<Stacks> timed = family_words();
    std::erase_if(timed, [](const auto& one) { return one.second == Stacks::encoder; });
    return timed;
  }();
  return all;
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
      {"E", What::model, gpt(1, 512)},
      {"F", What::train, gpt(1, 512)},
      {"G", What::decode, gpt(512, 64)},
      {"H", What::train, gpt_micro()},
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

std::optional<Stacks> family_of(const WorkPreset& preset) {
  const auto* shape = std::get_if<TransformerShape>(&preset.shape);
  return shape ? std::optional(shape->spec.stacks) : std::nullopt;
}

const WorkPreset& default_preset(What what, Stacks family) {
  return *std::ranges::find_if(presets(), [&](const WorkPreset& one) {
    return one.what == what && family_of(one).value_or(family) == family;
  });
}

} // namespace tfx::bench
