#include "architecture/checkpoint.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace tfx::params {

namespace {

constexpr std::size_t deepest = 32; ///< of modules in a file that somebody else wrote

bool is_number(const std::string& text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "encoder.layers.0.norm.weight" → encoder, layers.0, norm, weight.
std::vector<std::string> parts_of(const std::string& name) {
  std::vector<std::string> parts;
  for (std::size_t start = 0; start <= name.size();) {
    const std::size_t end =
        parts.size() < deepest ? std::min(name.find('.', start), name.size()) : name.size();
    const std::string part = name.substr(start, end - start);
    if (is_number(part) && !parts.empty() && end < name.size() && parts.back().find('.') == std::string::npos)
      parts.back() += "." + part;
    else
      parts.push_back(part);
    start = end + 1;
  }
  return parts;
}

bool is_buffer(const std::string& name, const Shape& shape) {
  for (const char* known : {"running_mean", "running_var", "num_batches_tracked", "pe", "position_ids",
                            "inv_freq", "masked_bias"})
    if (name == known) return true;
  return shape.size() == 4 && shape[0] == 1 && shape[1] == 1 && shape[2] == shape[3]; // a causal mask
}

/// "layers.10" → layers, 10.
std::optional<std::pair<std::string, std::uint64_t>> numbered(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  const std::string digits = dot == std::string::npos ? name : name.substr(dot + 1);
  if (!is_number(digits)) return std::nullopt;
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return std::pair(dot == std::string::npos ? "" : name.substr(0, dot), number);
}

/// A tensor and what is left of its name.
struct Leaf {
  const FileTensor* tensor;
  std::vector<std::string> parts;
};

TensorSpec spec_of(const Leaf& leaf) {
  TensorSpec spec{leaf.parts.back(), {}};
  spec.tied_to = leaf.tensor->tied_to;
  for (const std::size_t extent : leaf.tensor->shape) spec.shape.emplace_back(extent);
  if (is_buffer(leaf.parts.back(), leaf.tensor->shape)) spec.kind = TensorKind::buffer;
  return spec;
}

/// The module of tensors whose names agree in their first `depth` parts; children in order of appearance.
Module grown(const std::string& name, const std::vector<Leaf>& leaves, std::size_t depth) {
  Module module{name};
  std::vector<std::vector<Leaf>> branches;
  std::map<std::string, std::size_t> place;
  for (const Leaf& leaf : leaves) {
    if (leaf.parts.size() == depth + 1) {
      module.tensors.push_back(spec_of(leaf));
      continue;
    }
    const auto [found, is_new] = place.try_emplace(leaf.parts[depth], branches.size());
    if (is_new) branches.emplace_back();
    branches[found->second].push_back(leaf);
  }
  for (const std::vector<Leaf>& branch : branches)
    module.children.push_back(grown(branch[0].parts[depth], branch, depth + 1));
  return module;
}

/// Numbered children with children of their own are layers, and stand in the order of their numbers; what
/// holds layers is shown through its children.
bool has_layers(const Module& module) {
  return std::any_of(module.children.begin(), module.children.end(), [](const Module& child) {
    return child.kind == ModuleKind::layer || child.kind == ModuleKind::group;
  });
}

void arrange(Module& module) {
  for (Module& child : module.children) {
    arrange(child);
    if (numbered(child.name) && !child.children.empty())
      child.kind = ModuleKind::layer;
    else if (has_layers(child))
      child.kind = ModuleKind::group;
  }
  // Numbered children change places among themselves, the others stay.
  std::vector<std::size_t> places;
  std::vector<Module> layers;
  for (std::size_t i = 0; i < module.children.size(); ++i)
    if (numbered(module.children[i].name))
      places.push_back(i), layers.push_back(std::move(module.children[i]));
  std::stable_sort(layers.begin(), layers.end(),
                   [](const Module& a, const Module& b) { return *numbered(a.name) < *numbered(b.name); });
  for (std::size_t i = 0; i < places.size(); ++i) module.children[places[i]] = std::move(layers[i]);
}

} // namespace

Module tree_of(const std::vector<FileTensor>& tensors) {
  std::vector<Leaf> leaves;
  for (const FileTensor& tensor : tensors) leaves.push_back({&tensor, parts_of(tensor.name)});
  Module root = grown("", leaves, 0);
  root.kind = ModuleKind::group;
  arrange(root);
  return root;
}

} // namespace tfx::params
