#include "model/checkpoint_format.hpp"

#include "core/error.hpp"
#include "io/known_programs.hpp"
#include "io/message.hpp"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

namespace tfx {

namespace {

struct Renaming {
  std::string_view theirs, ours;
  NameFamily family;
};
constexpr Renaming renamings[] = {
    {"multihead_attn", "src_attn", NameFamily::torch},  {"out_proj", "linears.3", NameFamily::torch},
    {"linear1", "feed_forward.w_1", NameFamily::torch}, {"linear2", "feed_forward.w_2", NameFamily::torch},
    {"norm1", "sublayer.0.norm", NameFamily::torch},    {"norm2", "sublayer.1.norm", NameFamily::torch},
    {"norm3", "sublayer.2.norm", NameFamily::torch},    {"q_linear", "linears.0", NameFamily::annotated},
    {"k_linear", "linears.1", NameFamily::annotated},   {"v_linear", "linears.2", NameFamily::annotated},
    {"out", "linears.3", NameFamily::annotated},        {"wq", "linears.0", NameFamily::annotated},
    {"wk", "linears.1", NameFamily::annotated},         {"wv", "linears.2", NameFamily::annotated},
    {"wo", "linears.3", NameFamily::annotated},
};

/// What stands around the layers, where it has files of its own.
constexpr std::pair<std::string_view, std::string_view> ends[] = {
    {"src_embed.weight", "src_embed.0.lut.weight"},
    {"tgt_embed.weight", "tgt_embed.0.lut.weight"},
    {"generator.weight", "generator.proj.weight"},
    {"generator.bias", "generator.proj.bias"}};

/// One name, part by part between the dots.
std::string renamed(std::string_view theirs, NamedSources& sources) {
  std::string ours;
  for (std::size_t begin = 0; begin <= theirs.size();) {
    const std::size_t end = std::min(theirs.find('.', begin), theirs.size());
    std::string_view part = theirs.substr(begin, end - begin);
    const auto* renaming = std::ranges::find(renamings, part, &Renaming::theirs);
    if (renaming != std::end(renamings)) {
      part = renaming->ours;
      if (renaming->family == NameFamily::torch) sources.family = NameFamily::torch;
    }
    if (ours.ends_with("norm") && (part == "weight" || part == "bias")) {
      part = part == "weight" ? "a_2" : "b_2";
      sources.norm = Norm::layer;
    }
    ours += (begin ? "." : "") + std::string(part);
    begin = end + 1;
  }
  return ours;
}

/// Appends q's, k's and v's thirds of a projection of all three.
void append_thirds(std::vector<TensorSource>& tensors, const TensorFile& file, std::size_t entry,
                   const std::string& prefix, const std::string& part) {
  Shape shape = file.entries()[entry].shape;
  if (shape.empty() || shape[0] % 3 != 0)
    refuse_file(file.path(),
                said("tensor {name} {shape} cannot be cut in three for queries, keys and values",
                     {{"name", in_quotes(file.entries()[entry].name)}, {"shape", to_string(shape)}}),
                said("its first axis is 3·d_model"));
  shape[0] /= 3;
  for (std::size_t i = 0; i < 3; ++i)
    tensors.push_back(
        {prefix + "linears." + std::to_string(i) + part, shape, entry, i * element_count(shape)});
}

} // namespace

bool NamedSources::are_layers_alone() const {
  return family == NameFamily::torch && std::ranges::none_of(tensors, [](const TensorSource& tensor) {
           return tensor.name.find("_embed.") != std::string::npos || tensor.name.starts_with("generator.");
         });
}

bool NamedSources::are_without_biases() const {
  return family == NameFamily::torch && std::ranges::none_of(tensors, [](const TensorSource& tensor) {
           return is_of_layers(tensor.name) && is_bias(tensor.name);
         });
}

bool is_of_layers(std::string_view name) {
  return name.starts_with("encoder.") || name.starts_with("decoder.");
}

bool is_bias(std::string_view name) {
  return name.ends_with(".bias") || name.ends_with(".b_2");
}

std::string their_name(const std::string& ours, NameFamily family) {
  if (family == NameFamily::annotated) return ours;
  std::string theirs = ours;
  const auto replace = [&](std::string_view from, std::string_view to) {
    if (const std::size_t at = theirs.find(from); at != std::string::npos)
      theirs.replace(at, from.size(), to);
  };
  for (const char* third : {"linears.0.", "linears.1.", "linears.2."}) replace(third, "in_proj_");
  for (const Renaming& one : renamings)
    if (one.family == NameFamily::torch) replace(one.ours, one.theirs);
  if (is_of_layers(ours)) replace(".a_2", ".weight"), replace(".b_2", ".bias");
  for (const auto& [theirs_too, name] : ends) replace(name, theirs_too);
  return theirs;
}

NamedSources annotated_ends(const TensorFile& file) {
  NamedSources sources;
  for (std::size_t entry = 0; entry < file.entries().size(); ++entry) {
    std::string name(without_wrappers(file.entries()[entry].name, sources.taken_off));
    for (const auto& [theirs, ours] : ends)
      if (name == theirs) name = ours;
    sources.tensors.push_back({name, file.entries()[entry].shape, entry});
  }
  return sources;
}

NamedSources annotated_names(const TensorFile& file) {
  NamedSources sources;
  for (std::size_t entry = 0; entry < file.entries().size(); ++entry) {
    if (!file.entries()[entry].is_read()) continue;
    const std::string_view name = without_wrappers(file.entries()[entry].name, sources.taken_off);
    bool cut = false;
    for (const auto& [suffix, part] : {std::pair{"in_proj_weight", ".weight"}, {"in_proj_bias", ".bias"}}) {
      if (!name.ends_with(suffix)) continue;
      const auto prefix = name.substr(0, name.size() - std::string_view(suffix).size());
      append_thirds(sources.tensors, file, entry, renamed(prefix, sources), part);
      sources.family = NameFamily::torch;
      cut = true;
    }
    const auto* end = std::ranges::find(ends, name, &std::pair<std::string_view, std::string_view>::first);
    if (end != std::end(ends)) {
      sources.tensors.push_back({std::string(end->second), file.entries()[entry].shape, entry});
      continue;
    }
    if (!cut) sources.tensors.push_back({renamed(name, sources), file.entries()[entry].shape, entry});
  }
  return sources;
}

namespace {

const std::string* find(const TensorFile& file, const char* key) {
  const auto entry = file.metadata().find(key);
  return entry == file.metadata().end() ? nullptr : &entry->second;
}

/// What is given, else what the metadata say, else `otherwise`.
template <class Value>
Value choose(const std::optional<Value>& given, const TensorFile& file, const char* key,
             const Choices<Value>& words, Value otherwise) {
  if (given) return *given;
  const std::string* found = find(file, key);
  if (!found) return otherwise;
  for (const auto& [word, value] : words)
    if (word == *found) return value;
  std::string known;
  for (const auto& [word, value] : words) known += (known.empty() ? "" : ", ") + word;
  refuse_file(
      file.path(),
      said("the metadata give {key} as {value}", {{"key", std::string(key)}, {"value", in_quotes(*found)}}),
      said("known are {names}", {{"names", known}}));
}

std::size_t heads_of(const TensorFile& file, const GivenStyle& given) {
  if (given.heads) return *given.heads;
  const std::string* found = find(file, "heads");
  if (!found)
    throw usage(
        said("{file}: {what}", {{"file", FileName(file.path())},
                                {"what", said("the tensors do not show how many heads the model has")}}),
        said("say it: --heads 8"));
  std::size_t heads = 0;
  const auto [stop, error] = std::from_chars(found->data(), found->data() + found->size(), heads);
  if (error != std::errc{} || stop != found->data() + found->size() || heads == 0)
    refuse_file(file.path(), said("the metadata give heads as {value}", {{"value", in_quotes(*found)}}),
                said("it is a whole number of at least 1"));
  return heads;
}

/// The shape of a tensor that says how large the model is.
Shape shape_of(const TensorFile& file, const NamedSources& sources, std::string_view name, std::size_t rank) {
  const auto tensor = std::ranges::find(sources.tensors, name, &TensorSource::name);
  if (tensor == sources.tensors.end())
    refuse_file(file.path(),
                said("tensor {name} is missing",
                     {{"name", in_quotes(their_name(std::string(name), sources.family))}}),
                said("a model has the tensors that docs/model.md lists"));
  if (tensor->shape.size() != rank)
    refuse_file(file.path(),
                said("tensor {name} is {shape}; it must have {rank} axes",
                     {{"name", in_quotes(name)}, {"shape", to_string(tensor->shape)}, {"rank", rank}}),
                said("a model has the tensors that docs/model.md lists"));
  return tensor->shape;
}

/// 1 + the largest I of encoder.layers.I. A file has more tensors than layers, so a larger number is left for
/// the comparison to refuse.
std::size_t layers_of(const NamedSources& sources) {
  constexpr std::string_view prefix = "encoder.layers.";
  std::size_t layers = 0;
  for (const TensorSource& tensor : sources.tensors) {
    if (!tensor.name.starts_with(prefix)) continue;
    const char* const begin = tensor.name.data() + prefix.size();
    std::size_t layer = 0;
    const auto [stop, error] = std::from_chars(begin, tensor.name.data() + tensor.name.size(), layer);
    if (error == std::errc{} && layer < sources.tensors.size()) layers = std::max(layers, layer + 1);
  }
  return layers;
}

} // namespace

std::map<std::string, std::string> metadata_of(const LayerSpec& spec) {
  return {{"format", "pt"},
          {"heads", std::to_string(spec.heads)},
          {"norm", word_of(norm_words(), spec.norm.rule)},
          {"placement", word_of(placement_words(), spec.norm.placement)},
          {"activation", word_of(activation_words(), spec.activation)}};
}

Vocabularies vocabularies_of(const TensorFile& file, const NamedSources& sources) {
  return {shape_of(file, sources, "src_embed.0.lut.weight", 2)[0],
          shape_of(file, sources, "tgt_embed.0.lut.weight", 2)[0]};
}

void refuse_other_program(const TensorFile& file) {
  const auto program = program_of(file.entries());
  if (!program || program->name == "torch.nn.Transformer") return;
  refuse_file(
      file.path(),
      said("this is {program}, and a model here is an encoder-decoder", {{"program", described(*program)}}),
      program->kind == ProgramKind::model
          ? said("tfx params FILE counts its parameters, tfx inspect FILE lists its tensors")
          : said("the lessons block and multihead read one layer or attention module "
                 "with --weights"));
}

ModelSpec spec_of(const TensorFile& file, const NamedSources& sources, const GivenStyle& given,
                  const std::optional<Vocabularies>& vocabularies) {
  refuse_other_program(file);
  const bool torch = sources.family == NameFamily::torch;
  ModelSpec spec;
  spec.layers = layers_of(sources);
  const Shape w_1 = shape_of(file, sources, "encoder.layers.0.feed_forward.w_1.weight", 2);
  spec.d_ff = w_1[0], spec.d_model = w_1[1];
  if (!vocabularies && sources.are_layers_alone())
    refuse_file(file.path(),
                said("it holds the layers of torch.nn.Transformer, and no embeddings and no generator"),
                said("tfx model --weights draws those, or reads them from --embeddings"));
  const auto [src_vocab, tgt_vocab] = vocabularies ? *vocabularies : vocabularies_of(file, sources);
  spec.src_vocab = src_vocab, spec.tgt_vocab = tgt_vocab;
  spec.heads = heads_of(file, given);
  spec.norm = {choose(given.norm, file, "norm", norm_words(), sources.norm),
               choose(given.placement, file, "placement", placement_words(),
                      torch ? NormPlacement::post_norm : NormPlacement::pre_norm)};
  spec.activation = choose(given.activation, file, "activation", activation_words(), Activation::relu);
  if (std::ranges::count(sources.tensors, "src_embed.1.pe", &TensorSource::name))
    spec.max_len = shape_of(file, sources, "src_embed.1.pe", 3)[1];
  return spec;
}

} // namespace tfx
