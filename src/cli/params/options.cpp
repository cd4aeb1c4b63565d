#include "cli/params/options.hpp"

#include "architecture/checkpoint.hpp"
#include "cli/options.hpp"
#include "core/shape.hpp"
#include "io/known_programs.hpp"
#include "lessons/known_models.hpp"
#include "model/shipped.hpp"
#include "text/names.hpp"

#include <algorithm>

namespace tfx {

using namespace params;

namespace {

using Counts = std::optional<Family>;

bool has_batch(const Counts& family) {
  return family.has_value();
}
bool has_text(const Counts& family) {
  return family && family != Family::resnet18;
}
bool has_layers(const Counts& family) {
  return has_text(family) && family != Family::attention_block;
}
bool has_two_stacks(const Counts& family) {
  return family == Family::encoder_decoder;
}
bool may_be_tied(const Counts& family) {
  return has_two_stacks(family) || family == Family::gpt2 || family == Family::llama;
}

} // namespace

const std::vector<Option<ParamsOptions, Counts>>& params_options() {
  using O = ParamsOptions;
  using Row = Option<O, Counts>;
  static const std::vector<Row> table{
      Row("--layers", &O::layers, value::count(1, 1000)).when(has_layers),
      Row("--d-model", &O::d_model, value::count()).when(has_text),
      Row("--d-ff", &O::d_ff, value::count()).when(has_layers),
      Row("--heads", &O::heads, value::count()).when(has_text),
      Row("--vocab", &O::vocab, value::count()).when(has_text),
      Row("--src-vocab", &O::src_vocab, value::count()).when(has_two_stacks),
      Row("--tgt-vocab", &O::tgt_vocab, value::count()).when(has_two_stacks),
      Row("--tied", &O::tied).when(may_be_tied),
      Row("--batch", &O::batch, value::count()).when(has_batch),
      Row("--seq", &O::seq, value::count()).when(has_text),
      Row("--tgt-seq", &O::tgt_seq, value::count()).when(has_two_stacks),
      {"--tutorial", &O::tutorial, value::one_of({"attention-block", "annotated"})},
      {"--dtype", &O::precision, value::choice(precisions())},
      {"--int8", &O::int8, value::text("NAME")},
      Row("--row", &O::row, value::count(0), 0).beside({"--int8"})};
  return table;
}

namespace {

void require_fitting(const ParamsOptions& options, const Counts& family, const std::string& model) {
  if (const auto* option = first_unfit(params_options(), options, family))
    throw usage_error("params_option", {{"name", option->name}, {"model", model}});
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
  static_cast<Architecture&>(s) = resized(s, {o.layers, o.d_model, o.d_ff, o.heads}, d_ff_rule(s.family));
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

Counted model_in(const std::string& name, const ParamsOptions& options) {
  require_fitting(options, std::nullopt, name);
  const TensorFile file = model_file(name);
  std::vector<FileTensor> tensors;
  const std::vector<TiedTable> tied = tied_tables(file);
  for (std::size_t i = 0; i < file.entries().size(); ++i) {
    const TensorFile::Entry& entry = file.entries()[i];
    if (!entry.is_read() && entry.shape.empty()) continue; // no tensor: a text, another file
    const auto one = std::ranges::find(tied, i, &TiedTable::again);
    tensors.push_back({entry.name, entry.shape, one == tied.end() ? "" : file.entries()[one->first].name});
  }
  Counted model{name, tree_of(tensors), {}, std::nullopt, nullptr};
  model.sum = totals(model.root);
  (model.sum.parameters * 32).value();
  return model;
}

} // namespace

std::vector<Counted> models_of(const ParamsOptions& options) {
  std::vector<std::string> names = options.names;
  if (options.tutorial && !names.empty())
    throw usage_error("contradict", {{"one", "--tutorial"}, {"other", names.front()}});
  if (names.empty()) names.push_back(options.tutorial.value_or("annotated"));
  std::vector<Counted> models;
  for (const std::string& name : names) {
    if (const Preset* preset = find_preset(name)) {
      models.push_back(model_of(*preset, options));
      continue;
    }
    const std::vector<std::string> shipped = shipped_models();
    if (looks_like_file(name) || std::ranges::count(shipped, name)) {
      models.push_back(model_in(name, options));
      continue;
    }
    std::vector<std::string> known;
    for (const Preset& one : presets()) known.push_back(one.name);
    known.insert(known.end(), shipped.begin(), shipped.end());
    throw usage_error("params_name",
                      {{"name", name}, {"near", suggestion(nearest(name, known))}, {"names", listed(known)}});
  }
  return models;
}

} // namespace tfx
