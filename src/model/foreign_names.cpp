#include "model/foreign_names.hpp"

#include "io/known_programs.hpp"
#include "io/message.hpp"

#include <algorithm>
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
      sources.norm = NormRule::standard;
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

} // namespace tfx
