#include "cli/params/options.hpp"

#include "architecture/checkpoint.hpp"
#include "cli/add_option.hpp"
#include "cli/options.hpp"
#include "core/shape.hpp"
#include "io/tensor_file.hpp"
#include "text/suggest.hpp"

#include <filesystem>

namespace tfx {

using namespace params;

void add_params_options(CLI::App& command, ParamsOptions& options) {
  add_argument(command, "model", options.names, in_words("params.model"));
  add_count(command, "--layers", options.layers, 1, 1000);
  add_count(command, "--d-model", options.d_model);
  add_count(command, "--d-ff", options.d_ff);
  add_count(command, "--heads", options.heads);
  add_count(command, "--vocab", options.vocab);
  add_count(command, "--src-vocab", options.src_vocab);
  add_count(command, "--tgt-vocab", options.tgt_vocab);
  add_flag(command, "--tied", options.tied);
  add_count(command, "--batch", options.batch);
  add_count(command, "--seq", options.seq);
  add_count(command, "--tgt-seq", options.tgt_seq);
  add_choice<Precision>(
      command, "--dtype",
      {{"f16", Precision::f16}, {"bf16", Precision::bf16}, {"f32", Precision::f32}, {"f64", Precision::f64}},
      [&options](Precision precision) { options.precision = precision; });
}

namespace {

struct SizeOption {
  const char* name;
  bool given;
  bool fits;
};

/// Every option of the shape, whether it was given, and whether the family has such a size.
std::vector<SizeOption> given_options(const ParamsOptions& o, std::optional<Family> family) {
  const bool pair = family == Family::encoder_decoder, text = family && family != Family::resnet18;
  const bool layered = text && family != Family::attention_block;
  return {{"--layers", o.layers.has_value(), layered},
          {"--d-model", o.d_model.has_value(), text},
          {"--d-ff", o.d_ff.has_value(), layered},
          {"--heads", o.heads.has_value(), text},
          {"--vocab", o.vocab.has_value(), text},
          {"--src-vocab", o.src_vocab.has_value(), pair},
          {"--tgt-vocab", o.tgt_vocab.has_value(), pair},
          {"--tied", o.tied, pair || family == Family::gpt2 || family == Family::llama},
          {"--batch", o.batch.has_value(), family.has_value()},
          {"--seq", o.seq.has_value(), text},
          {"--tgt-seq", o.tgt_seq.has_value(), pair}};
}

void require_fitting(const ParamsOptions& options, std::optional<Family> family, const std::string& model) {
  for (const SizeOption& one : given_options(options, family))
    if (one.given && !one.fits) throw usage_error("params_option", {{"name", one.name}, {"model", model}});
}

/// LLaMA's feed-forward layers have three matrices and so two thirds of 4·d, up to a multiple of 256.
std::size_t usual_d_ff(Family family, std::size_t d_model) {
  if (family == Family::llama) return (8 * d_model / 3 + 255) / 256 * 256;
  return 4 * d_model;
}

void require_sound(const ModelShape& s, const std::string& model) {
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  require_dividing(s.heads, s.d_model);
  for (const auto& [option, length] : {std::pair("--seq", s.seq), std::pair("--tgt-seq", s.tgt_seq)})
    if (length > s.context)
      throw usage_error(
          "params_context",
          {{"name", option}, {"length", text(length)}, {"model", model}, {"context", text(s.context)}});
  if (s.tied && !s.one_vocabulary())
    throw usage_error("params_tied", {{"src", text(s.src_vocab)}, {"tgt", text(s.tgt_vocab)}});
}

Counted model_of(const Preset& preset, const ParamsOptions& o) {
  ModelShape s = preset.shape;
  require_fitting(o, s.family, preset.name);
  s.layers = o.layers.value_or(s.layers);
  if (o.d_model) s.d_model = *o.d_model, s.d_ff = usual_d_ff(s.family, *o.d_model);
  s.d_ff = o.d_ff.value_or(s.d_ff);
  s.heads = o.heads.value_or(s.heads);
  s.src_vocab = o.src_vocab.value_or(o.vocab.value_or(s.src_vocab));
  s.tgt_vocab = o.tgt_vocab.value_or(o.vocab.value_or(s.tgt_vocab));
  s.tied = s.tied || o.tied;
  s.batch = o.batch.value_or(s.batch), s.seq = o.seq.value_or(s.seq);
  s.tgt_seq = o.tgt_seq.value_or(o.seq.value_or(s.tgt_seq));
  require_sound(s, preset.name);
  const bool as_published = !o.layers && !o.d_model && !o.d_ff && !o.vocab && !o.src_vocab && !o.tgt_vocab &&
                            s.tied == preset.shape.tied;
  return counted(preset.name, s, as_published ? &preset : nullptr);
}

Counted model_in(const std::string& path, const ParamsOptions& options) {
  require_fitting(options, std::nullopt, path);
  const TensorFile file(path);
  std::vector<FileTensor> tensors;
  for (const TensorFile::Entry& entry : file.entries()) tensors.push_back({entry.name, entry.shape});
  Counted model{path, tree_of(tensors), {}, std::nullopt, nullptr};
  model.sum = totals(model.root);
  (model.sum.parameters * 32).value();
  return model;
}

bool looks_like_file(const std::string& name) {
  std::error_code ignored;
  return name.find('/') != std::string::npos || name.ends_with(".npz") || name.ends_with(".safetensors") ||
         std::filesystem::exists(name, ignored);
}

} // namespace

std::vector<Counted> models_of(const ParamsOptions& options) {
  std::vector<std::string> names = options.names;
  if (names.empty()) names.push_back("annotated");
  std::vector<Counted> models;
  for (const std::string& name : names) {
    if (const Preset* preset = find_preset(name)) {
      models.push_back(model_of(*preset, options));
      continue;
    }
    if (looks_like_file(name)) {
      models.push_back(model_in(name, options));
      continue;
    }
    std::vector<std::string> known;
    std::string list;
    for (const Preset& one : presets()) {
      known.push_back(one.name);
      list += (list.empty() ? "" : ", ") + std::string(one.name);
    }
    throw usage_error("params_name",
                      {{"name", name}, {"near", suggestion(nearest(name, known))}, {"names", list}});
  }
  return models;
}

} // namespace tfx
