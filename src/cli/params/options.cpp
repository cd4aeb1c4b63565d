#include "cli/params/options.hpp"

#include "architecture/checkpoint.hpp"
#include "cli/options.hpp"
#include "core/error.hpp"
#include "core/shape.hpp"
#include "io/file.hpp"
#include "io/foreign_file.hpp"
#include "io/json_reader.hpp"
#include "io/known_programs.hpp"
#include "io/load.hpp"
#include "io/message.hpp"
#include "model/shipped.hpp"
#include "text/names.hpp"

#include <algorithm>
#include <filesystem>

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
bool has_two_texts(const Counts& family) {
  return family && has_two_stacks(*family);
}
bool has_two_vocabularies(const Counts& family) {
  return family == Family::encoder_decoder;
}
bool may_be_tied(const Counts& family) {
  return has_layers(family) && family != Family::bert && family != Family::roberta;
}
bool has_chosen_positions(const Counts& family) {
  return has_layers(family) && family != Family::t5; // which has a kind of its own
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
      Row("--src-vocab", &O::src_vocab, value::count()).when(has_two_vocabularies),
      Row("--tgt-vocab", &O::tgt_vocab, value::count()).when(has_two_vocabularies),
      Row("--tied", &O::tied).when(may_be_tied),
      Row("--kv-heads", &O::kv_heads, value::count()).when(has_layers),
      Row("--positions", &O::positions, value::choice(position_words())).when(has_chosen_positions),
      Row("--no-bias", &O::no_bias).when(has_layers),
      Row("--gated", &O::gated).when(has_layers),
      Row("--batch", &O::batch, value::count()).when(has_batch),
      Row("--seq", &O::seq, value::count()).when(has_text),
      Row("--tgt-seq", &O::tgt_seq, value::count()).when(has_two_texts),
      {"--tutorial", &O::tutorial, value::one_of({"attention-block", "annotated"})},
      {"--dtype", &O::precision, value::choice(precisions())},
      {"--int8", &O::int8, value::text("NAME")},
      Row("--row", &O::row, value::count(0), 0).beside({"--int8"})};
  return table;
}

namespace {

bool is_folder(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::is_directory(name, ignored);
}

bool is_there(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::exists(path, ignored);
}

/// What an index of weights is called: of safetensors, and of PyTorch's own files.
std::vector<std::string> index_names() {
  return {"model.safetensors.index.json", "pytorch_model.bin.index.json"};
}

std::string beside_file(const std::string& path, const std::string& name) {
  const std::size_t folder = path.rfind('/') + 1; // npos + 1 = 0
  return path.substr(0, folder) + name;
}

void require_fitting(const ParamsOptions& options, const Counts& family, const std::string& model) {
  if (const auto* option = first_unfit(params_options(), options, family))
    throw usage_error("params_option", {{"name", option->name}, {"model", model}});
}

void require_sound(const ModelShape& s, const std::string& model) {
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  if (s.head_width == 0) require_dividing(s.heads, s.d_model);
  if (s.heads % s.key_heads() != 0)
    throw usage_error("params_kv_heads", {{"heads", text(s.heads)}, {"kv_heads", text(s.key_heads())}});
  for (const auto& [option, length] : {std::pair("--seq", s.seq), std::pair("--tgt-seq", s.tgt_seq)})
    if (length > s.context)
      throw usage_error(
          "params_context",
          {{"name", option}, {"length", text(length)}, {"model", model}, {"context", text(s.context)}});
  if (s.tied && !s.one_vocabulary())
    throw usage_error("params_tied", {{"src", text(s.src_vocab)}, {"tgt", text(s.tgt_vocab)}});
}

/// The shape with what was asked for in place of its own.
ModelShape resized_shape(ModelShape s, const ParamsOptions& o) {
  static_cast<Architecture&>(s) = resized(s, {o.layers, o.d_model, o.d_ff, o.heads}, d_ff_rule(s.family));
  s.src_vocab = o.src_vocab.value_or(o.vocab.value_or(s.src_vocab));
  s.tgt_vocab = o.tgt_vocab.value_or(o.vocab.value_or(s.tgt_vocab));
  s.tied = s.tied || o.tied, s.gated = s.gated || o.gated;
  if (o.layers) s.decoder_layers = 0;
  if (o.kv_heads) s.kv_heads = *o.kv_heads == s.heads ? 0 : *o.kv_heads;
  s.positions = o.positions.value_or(s.positions);
  if (o.no_bias) s.biases = {false, false, false, false};
  return s;
}

/// The shape of `name` as it is known, or as the options make it.
Counted model_of(const std::string& name, const ModelShape& known, const Preset* preset,
                 const ParamsOptions& o) {
  require_fitting(o, known.family, name);
  ModelShape s = resized_shape(known, o);
  const bool as_known = s == known, has_new_parts = o.kv_heads || o.positions || o.no_bias || o.gated;
  s.batch = o.batch.value_or(s.batch), s.seq = o.seq.value_or(s.seq);
  s.tgt_seq = o.tgt_seq.value_or(o.seq.value_or(s.tgt_seq));
  require_sound(s, name);
  Counted model = counted(name, s, as_known ? preset : nullptr);
  model.shows_cache = has_new_parts;
  return model;
}

/// The document of a file, a configuration or an index.
Counted model_of_document(const std::string& name, const std::string& path, const std::string& bytes,
                          const ParamsOptions& o) {
  const JsonValue document = read_json(bytes, path);
  if (is_weight_index(document)) {
    require_fitting(o, std::nullopt, name);
    Counted model{name, {}, {}, std::nullopt, nullptr};
    model.index = read_weight_index(document, path);
    model.root = tree_of(*model.index), model.sum = totals(model.root);
    return model;
  }
  ConfigFile config = read_config(document, path);
  Counted model = model_of(name, config.shape, nullptr, o);
  model.config = std::move(config), model.shows_cache = true;
  for (const std::string& beside : index_names())
    if (const std::string index = beside_file(path, beside); is_there(index)) {
      model.index = read_weight_index(read_json(read_text(index), index), index);
      break;
    }
  return model;
}

Counted model_in(const std::string& name, const TensorFile& file, const ParamsOptions& options) {
  require_fitting(options, std::nullopt, name);
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

/// JSON begins with a brace; no other file that tfx reads does, but for a header of safetensors of 123 bytes.
bool is_json(const std::string& bytes) {
  const std::size_t start = bytes.starts_with("\xEF\xBB\xBF") ? 3 : 0,
                    first = bytes.find_first_not_of(" \t\r\n", start);
  return first != std::string::npos && bytes[first] == '{' && format_of_content(bytes) == FileFormat::text;
}

/// A file, or a folder as a model is published in: its config.json, else its index.
Counted model_at(const std::string& name, const ParamsOptions& o) {
  if (!is_folder(name)) {
    std::string bytes = read_text(name); // or of a model
    if (name.ends_with(".json") || is_json(bytes)) return model_of_document(name, name, bytes, o);
    return model_in(name, TensorFile(name, std::move(bytes)), o);
  }
  std::vector<std::string> wanted = index_names();
  wanted.insert(wanted.begin(), "config.json");
  for (const std::string& one : wanted)
    if (const std::string path = name + (name.ends_with('/') ? "" : "/") + one; is_there(path))
      return model_of_document(name, path, read_text(path), o);
  throw Error(ErrorKind::no_input,
              said("the folder {folder} holds neither {config} nor {index}",
                   {{"folder", FileName(name)}, {"config", wanted[0]}, {"index", wanted[1]}}),
              said("give the folder of a published model, or its config.json"));
}

} // namespace

bool names_configuration(const std::string& name) {
  const std::vector<std::string> shipped = shipped_names();
  return !find_preset(name) && !std::ranges::count(shipped, name) &&
         (name.ends_with(".json") || is_folder(name));
}

std::vector<Counted> models_of(const ParamsOptions& options) {
  std::vector<std::string> names = options.names;
  if (options.tutorial && !names.empty())
    throw usage_error("contradict", {{"one", "--tutorial"}, {"other", names.front()}});
  if (names.empty()) names.push_back(options.tutorial.value_or("annotated"));
  std::vector<Counted> models;
  for (const std::string& name : names) {
    if (const Preset* preset = find_preset(name)) {
      models.push_back(model_of(name, preset->shape, preset, options));
      continue;
    }
    const std::vector<std::string> shipped = shipped_names();
    if (std::ranges::count(shipped, name)) {
      models.push_back(model_in(name, shipped_model(name), options));
      continue;
    }
    if (looks_like_file(name) || names_configuration(name)) {
      models.push_back(model_at(name, options));
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
