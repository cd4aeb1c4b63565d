// What `tfx params --json` writes: a tree of modules with exact counts, and beside it what a configuration,
// an index and a matrix in 8 bits say.

#include "render/json.hpp"
#include "cli/params/screen.hpp"
#include "io/json_writer.hpp"

namespace tfx {

using namespace params;

namespace {

class ModelWriter {
public:
  ModelWriter(JsonWriter& json, std::uint64_t bytes, bool computes)
      : json_(json), bytes_(bytes), computes_(computes) {}

  /// What a count was made with; null where nobody knows, or there are no words.
  void vocabulary(const std::optional<ModelShape>& shape) {
    const bool reads_words = shape && shape->family != Family::resnet18;
    for (const auto& [key, vocabulary] :
         {std::pair("src_vocab", &ModelShape::src_vocab), std::pair("tgt_vocab", &ModelShape::tgt_vocab)}) {
      json_.key(key);
      reads_words ? json_.value(static_cast<std::size_t>(*shape.*vocabulary)) : json_.null();
    }
  }

  void counts(const Totals& sum) {
    number("buffers", sum.buffers.value());
    work("macs", sum.macs), work("flops", sum.flops()), work("hook_macs", sum.hook);
    work("activation_bytes", sum.cells * bytes_);
    const std::uint64_t weights = sum.parameters.value() * bytes_;
    number("weight_bytes", weights), number("gradient_bytes", weights), number("adam_bytes", 2 * weights);
  }

  void module(const Module& module, const std::string& prefix) {
    const std::string name = join(prefix, module.name);
    const Totals sum = totals(module);
    json_.begin_object();
    json_.key("name"), json_.value(name);
    number("parameters", sum.parameters.value());
    json_.key("formula"), json_.value(sum.parameters.formula());
    counts(sum);
    json_.key("tensors"), tensors(module, name);
    json_.key("children"), children(module, name);
    json_.end_object();
  }

  void children(const Module& parent, const std::string& prefix) {
    json_.begin_array();
    for (const Module& child : parent.children) module(child, prefix);
    json_.end_array();
  }

  void tensors(const Module& module, const std::string& prefix) {
    json_.begin_array();
    for (const TensorSpec& tensor : module.tensors) {
      json_.begin_object();
      json_.key("name"), json_.value(join(prefix, tensor.name));
      json_.key("shape");
      json_.begin_array();
      for (const Figure& extent : tensor.shape) json_.value(static_cast<std::size_t>(extent.value()));
      json_.end_array();
      json_.key("kind"), json_.value(tensor.kind == TensorKind::buffer ? "buffer" : "parameter");
      json_.key("tied_to"), json_.text_or_null(tensor.tied_to);
      json_.end_object();
    }
    json_.end_array();
  }

private:
  void number(const char* key, std::uint64_t value) {
    json_.key(key), json_.value(static_cast<std::size_t>(value));
  }

  /// What no checkpoint says is null.
  void work(const char* key, const Figure& figure) {
    if (computes_) return number(key, figure.value());
    json_.key(key), json_.null();
  }

  JsonWriter& json_;
  std::uint64_t bytes_;
  bool computes_;
};

} // namespace

namespace {

void write_index(JsonWriter& json, const std::optional<WeightIndex>& index) {
  json.key("index");
  if (!index) return json.null();
  json.begin_object();
  json.key("file"), json.value(index->path);
  json.key("bytes"), json.value(index->bytes ? std::optional<std::size_t>(*index->bytes) : std::nullopt);
  json.key("files"), json.value(index->files);
  json.key("tensors"), json.begin_array();
  for (const WeightIndex::Tensor& one : index->tensors) {
    json.begin_object();
    json.key("name"), json.value(one.name);
    json.key("file"), json.value(one.file);
    json.end_object();
  }
  json.end_array(), json.end_object();
}

/// What a configuration said, and what its class added.
void write_config(JsonWriter& json, const std::optional<ConfigFile>& config) {
  json.key("config");
  if (!config) return json.null();
  json.begin_object();
  json.key("model_type"), json.value(config->model_type);
  json.key("counted_as"), json.value(config->counted_as);
  json.key("other_class"), json.text_or_null(config->other_class);
  json.key("defaults"), json.begin_array();
  for (const TakenDefault& one : config->defaults) {
    json.begin_object();
    json.key("field"), json.value(one.field);
    json.key("value"), json.value(one.value);
    json.end_object();
  }
  json.end_array(), json.end_object();
}

void write_cache(JsonWriter& json, const std::optional<ModelShape>& shape, std::uint64_t bytes) {
  const std::optional<KvCache> cache = shape ? kv_cache(*shape) : std::nullopt;
  json.key("kv_cache");
  if (!cache) return json.null();
  const auto number = [&](const char* key, const Figure& figure) {
    json.key(key), json.value(static_cast<std::size_t>(figure.value()));
  };
  json.begin_object();
  number("heads", shape->key_heads()), number("numbers_of_a_token", cache->each);
  json.key("formula"), json.value(cache->each.formula());
  number("bytes_of_a_token", cache->each * bytes), number("tokens", cache->tokens);
  number("bytes", cache->all * bytes), number("bytes_without_groups", cache->without_groups * bytes);
  json.end_object();
}

} // namespace

std::string index_json(const Counted& model) {
  JsonWriter json;
  begin_command(json, "params");
  json.key("total"), json.null();
  json.key("models"), json.begin_array();
  json.begin_object();
  json.key("name"), json.value(model.name);
  json.key("total"), json.null();
  write_index(json, model.index);
  json.end_object();
  json.end_array(), json.end_object();
  return json.take();
}

std::string params_json(const std::vector<Counted>& models, Precision precision,
                        const std::optional<HeldMatrix>& held, const std::string& matrix) {
  JsonWriter json;
  begin_command(json, "params");
  if (models.size() == 1)
    json.key("total"), json.value(static_cast<std::size_t>(models[0].sum.parameters.value()));
  json.key("models");
  json.begin_array();
  for (const Counted& model : models) {
    ModelWriter writer(json, bytes_of(precision), model.shape.has_value());
    json.begin_object();
    json.key("name"), json.value(model.name);
    json.key("total"), json.value(static_cast<std::size_t>(model.sum.parameters.value()));
    writer.vocabulary(model.shape);
    writer.counts(model.sum);
    write_cache(json, model.shape, bytes_of(precision));
    write_config(json, model.config), write_index(json, model.index);
    json.key("tensors"), writer.tensors(model.root, "");
    json.key("modules"), writer.children(model.root, "");
    json.end_object();
  }
  json.end_array();
  if (held) write_held(json, *held, matrix);
  json.end_object();
  return json.take();
}

} // namespace tfx
