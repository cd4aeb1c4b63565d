#include "model/tensor_names.hpp"

#include "core/error.hpp"
#include "io/known_programs.hpp"
#include "io/message.hpp"

#include <algorithm>

namespace tfx {

namespace {

enum class TensorKind {
  part,    ///< a part of a name
  matrix,  ///< the same of what GPT-2 keeps as Conv1D
  thirds,  ///< a tensor that is ours of #, # = 0, 1, 2, one after the other
  around,  ///< what stands around the layers, whoever made them
  mask,    ///< a buffer, of no use here
  computed ///< the same; its shape says nothing either
};

/// Parts between dots, and what they are here. A family without rows of its own has our names.
struct NameRow {
  NameFamily family;
  std::string_view theirs, ours;
  TensorKind kind = TensorKind::part;
};
const std::vector<NameRow>& name_rows() {
  using enum NameFamily;
  using enum TensorKind;
  static const std::vector<NameRow> rows{{annotated, "q_linear", "linears.0"},
                                         {annotated, "k_linear", "linears.1"},
                                         {annotated, "v_linear", "linears.2"},
                                         {annotated, "out", "linears.3"},
                                         {annotated, "wq", "linears.0"},
                                         {annotated, "wk", "linears.1"},
                                         {annotated, "wv", "linears.2"},
                                         {annotated, "wo", "linears.3"},

                                         {torch, "multihead_attn", "src_attn"},
                                         {torch, "in_proj_weight", "linears.#.weight", thirds},
                                         {torch, "in_proj_bias", "linears.#.bias", thirds},
                                         {torch, "out_proj", "linears.3"},
                                         {torch, "linear1", "feed_forward.w_1"},
                                         {torch, "linear2", "feed_forward.w_2"},
                                         {torch, "norm1", "sublayer.0.norm"},
                                         {torch, "norm2", "sublayer.1.norm"},
                                         {torch, "norm3", "sublayer.2.norm"},
                                         {torch, "src_embed.weight", "src_embed.0.lut.weight", around},
                                         {torch, "tgt_embed.weight", "tgt_embed.0.lut.weight", around},
                                         {torch, "generator.weight", "generator.proj.weight", around},
                                         {torch, "generator.bias", "generator.proj.bias", around},

                                         {gpt2, "wte", "tgt_embed.0.lut"},
                                         {gpt2, "wpe", "tgt_embed.1"},
                                         {gpt2, "h", "decoder.layers"},
                                         {gpt2, "ln_1", "sublayer.0.norm"},
                                         {gpt2, "attn.c_attn.weight", "self_attn.linears.#.weight", thirds},
                                         {gpt2, "attn.c_attn.bias", "self_attn.linears.#.bias", thirds},
                                         {gpt2, "attn.c_proj", "self_attn.linears.3", matrix},
                                         {gpt2, "attn.bias", "", mask},
                                         {gpt2, "attn.masked_bias", "", computed},
                                         {gpt2, "ln_2", "sublayer.1.norm"},
                                         {gpt2, "mlp.c_fc", "feed_forward.w_1", matrix},
                                         {gpt2, "mlp.c_proj", "feed_forward.w_2", matrix},
                                         {gpt2, "ln_f", "decoder.norm"},
                                         {gpt2, "lm_head", "generator.proj"},

                                         {llama, "embed_tokens", "tgt_embed.0.lut"},
                                         {llama, "layers", "decoder.layers"},
                                         {llama, "input_layernorm", "sublayer.0.norm"},
                                         {llama, "self_attn.q_proj", "self_attn.linears.0"},
                                         {llama, "self_attn.k_proj", "self_attn.linears.1"},
                                         {llama, "self_attn.v_proj", "self_attn.linears.2"},
                                         {llama, "self_attn.o_proj", "self_attn.linears.3"},
                                         {llama, "rotary_emb.inv_freq", "", computed},
                                         {llama, "post_attention_layernorm", "sublayer.1.norm"},
                                         {llama, "mlp.gate_proj", "feed_forward.w_1"},
                                         {llama, "mlp.up_proj", "feed_forward.w_3"},
                                         {llama, "mlp.down_proj", "feed_forward.w_2"},
                                         {llama, "norm", "decoder.norm"},
                                         {llama, "lm_head", "generator.proj"}};
  return rows;
}

/// How much of `rest` the row's parts are, up to a dot or the end; 0 where they are others. `third`: the
/// number that stands for #.
std::size_t matched(std::string_view rest, std::string_view parts, std::size_t* third) {
  if (parts.empty() || rest.size() < parts.size()) return 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (parts[i] == rest[i]) continue;
    if (parts[i] != '#' || rest[i] < '0' || rest[i] > '2') return 0;
    if (third) *third = static_cast<std::size_t>(rest[i] - '0');
  }
  return rest.size() == parts.size() || rest[parts.size()] == '.' ? parts.size() : 0;
}

enum class NamesTo { ours, theirs };

bool is_known_to(const NameRow& row, NameFamily family, NamesTo to) {
  if (to == NamesTo::theirs) return row.family == family && family != NameFamily::annotated;
  if (is_published(family)) return row.family == family;
  return row.family == NameFamily::annotated || row.family == NameFamily::torch;
}

struct Translation {
  std::string name;
  TensorKind kind = TensorKind::part;
  std::size_t third = 0;
  bool torch = false;   ///< some part is torch.nn's
  bool nn_norm = false; ///< a norm's weight or bias
};

/// One name, row by row.
Translation translated(std::string_view name, NameFamily family, NamesTo to) {
  Translation result;
  for (std::size_t at = 0; at <= name.size();) {
    const std::string_view rest = name.substr(at);
    std::size_t length = 0;
    const auto row = std::ranges::find_if(name_rows(), [&](const NameRow& one) {
      if (!is_known_to(one, family, to)) return false;
      length = matched(rest, to == NamesTo::ours ? one.theirs : one.ours, &result.third);
      return length > 0;
    });
    const bool found = row != name_rows().end();
    if (!found) length = std::min(rest.find('.'), rest.size());
    std::string_view part = !found ? rest.substr(0, length) : to == NamesTo::ours ? row->ours : row->theirs;
    if (found && row->kind != TensorKind::part) result.kind = row->kind;
    if (found && row->family == NameFamily::torch && row->kind != TensorKind::around) result.torch = true;
    const bool of_norm =
        to == NamesTo::ours ? result.name.ends_with("norm") : name.substr(0, at).ends_with("norm.");
    if (to == NamesTo::ours && of_norm && (part == "weight" || part == "bias"))
      part = part == "weight" ? "a_2" : "b_2", result.nn_norm = true;
    if (to == NamesTo::theirs && of_norm &&
        (is_published(family) || (family == NameFamily::torch && is_of_layers(name))))
      part = part == "a_2" ? "weight" : part == "b_2" ? "bias" : part;
    if (at > 0) result.name += '.';
    result.name += part;
    at += length + 1;
  }
  return result;
}

std::string with_third(std::string name, std::size_t third) {
  name[name.find('#')] = static_cast<char>('0' + third);
  return name;
}

/// Appends q's, k's and v's thirds of a projection of all three; of Conv1D's they stand side by side.
void append_thirds(NamedSources& sources, const TensorFile& file, std::size_t entry,
                   const std::string& name) {
  const Shape& whole = file.entries()[entry].shape;
  const bool transposed = sources.scheme.conv1d && whole.size() == 2;
  const std::size_t axis = transposed ? 1 : 0;
  if (whole.empty() || whole[axis] % 3 != 0)
    refuse_file(file.path(),
                said("tensor {name} {shape} cannot be cut in three for queries, keys and values",
                     {{"name", in_quotes(file.entries()[entry].name)}, {"shape", to_string(whole)}}),
                sources.family() == NameFamily::gpt2
                    ? said("it is (d_model, 3·d_model) or (3·d_model, d_model)")
                    : said("its first axis is 3·d_model"));
  Shape shape = whole;
  shape[axis] /= 3;
  if (transposed) std::swap(shape[0], shape[1]);
  for (std::size_t i = 0; i < 3; ++i)
    sources.tensors.push_back({with_third(name, i), shape, entry,
                               i * (transposed ? shape[0] : element_count(shape)),
                               transposed ? whole[1] : 0});
}

void append(NamedSources& sources, const TensorFile& file, std::size_t entry, const Translation& name) {
  Shape shape = file.entries()[entry].shape;
  std::size_t column = 0;
  if (name.kind == TensorKind::matrix && sources.scheme.conv1d && shape.size() == 2)
    column = shape[1], std::swap(shape[0], shape[1]);
  sources.tensors.push_back({name.name, shape, entry, 0, column});
}

bool has_part(std::string_view name, std::string_view part) {
  const std::size_t at = name.find(part);
  return at != std::string_view::npos && (at == 0 || name[at - 1] == '.') &&
         (at + part.size() == name.size() || name[at + part.size()] == '.');
}

/// By the first layer's c_attn: wider than high, or higher than wide.
bool is_conv1d(const TensorFile& file) {
  const TensorFile::Entry* first = nullptr;
  for (const TensorFile::Entry& entry : file.entries())
    if (entry.name.ends_with("attn.c_attn.weight") && entry.shape.size() == 2 &&
        (!first || entry.name < first->name))
      first = &entry;
  return first && first->shape[1] > first->shape[0];
}

NameFamily published_family(const TensorFile& file) {
  for (const TensorFile::Entry& entry : file.entries()) {
    for (const NameFamily family : {NameFamily::gpt2, NameFamily::llama})
      if (has_part(entry.name, telling_part(family))) return family;
  }
  return NameFamily::annotated;
}

/// A name that stands in no row, as "encoder.norm.weight" among GPT-2's, is not taken for one that does.
bool is_their_own(std::string_view name, const Translation& ours, const NamedSources& sources) {
  return !is_published(sources.family()) ||
         translated(ours.name, sources.family(), NamesTo::theirs).name == name;
}

/// What stands before the names, and whether the table is there twice: then lm_head is taken out.
void read_scheme(NamedSources& sources, const TensorFile& file) {
  FileScheme& scheme = sources.scheme;
  const auto named = [&](std::string_view name) {
    return std::ranges::find(sources.tensors, name, &TensorSource::name);
  };
  const auto before = [&](const TensorSource& tensor) {
    const std::string& whole = file.entries()[tensor.entry].name;
    std::vector<std::string> taken;
    return whole.substr(0, whole.size() - without_wrappers(whole, taken).size());
  };
  if (!file.entries().empty()) scheme.dtype = file.entries().front().dtype;
  const auto table = named("tgt_embed.0.lut.weight"), head = named("generator.proj.weight");
  if (table != sources.tensors.end()) {
    scheme.prefix = before(*table), scheme.dtype = file.entries()[table->entry].dtype;
  } else if (const auto other = std::ranges::find_if(
                 sources.tensors, [](const auto& one) { return !one.name.starts_with("generator."); });
             other != sources.tensors.end()) {
    scheme.prefix = before(*other);
  }
  if (head == sources.tensors.end()) return;
  scheme.head_prefix = before(*head);
  if (!is_published(sources.family()) || table == sources.tensors.end()) return;
  if (named("generator.proj.bias") != sources.tensors.end()) return; // a table alone has none
  if (!file.same_values(table->entry, head->entry)) return;
  scheme.head = true;
  sources.tensors.erase(head);
}

} // namespace

std::string_view telling_part(NameFamily family) {
  return family == NameFamily::gpt2 ? "c_attn" : "mlp.gate_proj";
}

const char* name_of_program(NameFamily family) {
  switch (family) {
  case NameFamily::annotated: return "The Annotated Transformer";
  case NameFamily::torch: return "torch.nn.Transformer";
  case NameFamily::gpt2: return "GPT-2";
  case NameFamily::llama: return "Llama";
  }
  return ""; // coverage: there is no other family
}

bool NamedSources::are_layers_alone() const {
  return family() == NameFamily::torch && std::ranges::none_of(tensors, [](const TensorSource& tensor) {
           return tensor.name.find("_embed.") != std::string::npos || tensor.name.starts_with("generator.");
         });
}

bool NamedSources::are_without_biases() const {
  return family() == NameFamily::torch && std::ranges::none_of(tensors, [](const TensorSource& tensor) {
           return is_of_layers(tensor.name) && is_bias(tensor.name);
         });
}

bool is_of_layers(std::string_view name) {
  return name.starts_with("encoder.") || name.starts_with("decoder.");
}

bool is_of_model(std::string_view name) {
  return is_of_layers(name) || name.starts_with("src_embed.") || name.starts_with("tgt_embed.") ||
         name.starts_with("generator.");
}

bool is_bias(std::string_view name) {
  return name.ends_with(".bias") || name.ends_with(".b_2");
}

bool is_of_training(const std::string& name) {
  return name.starts_with("adam.") || name.starts_with("training.");
}

TheirTensor their_tensor(const std::string& ours, const FileScheme& scheme) {
  const Translation found = translated(ours, scheme.family, NamesTo::theirs);
  TheirTensor theirs{
      (is_published(scheme.family) && ours.starts_with("generator.") ? scheme.head_prefix : scheme.prefix) +
      found.name};
  if (found.kind == TensorKind::thirds) theirs.parts = 3, theirs.part = found.third;
  theirs.transposed = scheme.conv1d && ours.ends_with(".weight") &&
                      (found.kind == TensorKind::thirds || found.kind == TensorKind::matrix);
  return theirs;
}

bool has_place(const std::string& ours, const FileScheme& scheme) {
  if (!is_published(scheme.family)) return true;
  const std::string theirs = translated(ours, scheme.family, NamesTo::theirs).name;
  const Translation back = translated(theirs, scheme.family, NamesTo::ours);
  return theirs != ours && back.name.size() == ours.size() &&
         std::ranges::equal(back.name, ours, [](char a, char b) { return a == b || a == '#'; });
}

Shape their_shape(Shape ours, const TheirTensor& theirs) {
  if (!ours.empty()) ours[0] *= theirs.parts;
  if (theirs.transposed && ours.size() == 2) std::swap(ours[0], ours[1]);
  return ours;
}

NamedSources annotated_ends(const TensorFile& file) {
  NamedSources sources;
  for (std::size_t entry = 0; entry < file.entries().size(); ++entry) {
    const std::string_view name = without_wrappers(file.entries()[entry].name, sources.taken_off);
    const auto row = std::ranges::find_if(name_rows(), [&](const NameRow& one) {
      return one.kind == TensorKind::around && one.theirs == name;
    });
    sources.tensors.push_back(
        {std::string(row == name_rows().end() ? name : row->ours), file.entries()[entry].shape, entry});
  }
  return sources;
}

NamedSources annotated_names(const TensorFile& file) {
  NamedSources sources;
  sources.scheme.family = published_family(file);
  sources.scheme.conv1d = sources.family() == NameFamily::gpt2 && is_conv1d(file);
  for (std::size_t entry = 0; entry < file.entries().size(); ++entry) {
    const TensorFile::Entry& tensor = file.entries()[entry];
    if (is_of_training(tensor.name)) continue;
    const std::string_view name = without_wrappers(tensor.name, sources.taken_off);
    Translation found = translated(name, sources.family(), NamesTo::ours);
    if (found.kind == TensorKind::computed) continue;
    if (found.kind == TensorKind::mask) {
      if (tensor.is_read()) sources.masks.push_back(entry);
      continue;
    }
    if (!tensor.is_read() && !is_of_model(found.name)) continue;
    if (!tensor.is_read()) file.read(entry); // refuses it, by its reason: without it the model is another one
    if (!is_their_own(name, found, sources)) found = {std::string(name)};
    if (found.torch) sources.scheme.family = NameFamily::torch;
    if (found.nn_norm) sources.norm = Norm::layer;
    if (found.kind == TensorKind::thirds)
      append_thirds(sources, file, entry, found.name);
    else
      append(sources, file, entry, found);
  }
  read_scheme(sources, file);
  return sources;
}

} // namespace tfx
