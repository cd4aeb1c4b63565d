#include "architecture/weight_index.hpp"

#include "architecture/checkpoint.hpp"
#include "io/message.hpp"

#include <algorithm>
#include <set>
#include <unordered_set>

namespace tfx::params {

namespace {

using IndexKind = JsonValue::Kind;

[[noreturn]] void refuse_index(const std::string& path, const Message& what) {
  refuse_file(path, what, said("give the index as it came with its model"));
}

/// Some are written as 1.3e10: a whole number that a double holds.
std::uint64_t bytes_in(const JsonValue& value, const std::string& path) {
  constexpr double exact = 9007199254740992; // 2⁵³
  if (value.is(IndexKind::integer)) return value.integer;
  if (value.is(IndexKind::number) && value.number >= 0 && value.number <= exact)
    if (const auto whole = static_cast<std::uint64_t>(value.number);
        static_cast<double>(whole) == value.number)
      return whole;
  refuse_index(path, said("total_size is {value}, not a number of bytes", {{"value", described(value)}}));
}

/// The names as the blueprint has them: with a prefix of one part more or less, whichever brings most of them
/// together.
std::vector<std::string> aligned(const std::vector<NamedTensor>& known, const WeightIndex& index) {
  std::unordered_set<std::string> names;
  std::set<std::string> prefixes{""};
  const auto add_prefix = [&](const std::string& name) {
    prefixes.insert(name.substr(0, name.find('.') + 1));
  };
  for (const NamedTensor& one : known) names.insert(one.name), add_prefix(one.name);
  const std::set<std::string> of_blueprint = prefixes;
  for (const char* theirs : {"transformer.", "model.", "bert.", "roberta.", "gpt_neox."})
    prefixes.insert(theirs);
  std::vector<std::string> best;
  std::size_t most = 0;
  const auto try_names = [&](const auto& renamed) {
    std::vector<std::string> all;
    std::size_t shared = 0;
    for (const WeightIndex::Tensor& tensor : index.tensors) {
      all.push_back(renamed(tensor.name));
      shared += names.contains(all.back());
    }
    if (best.empty() || shared > most) best = std::move(all), most = shared;
  };
  for (const std::string& prefix : prefixes) {
    try_names([&](const std::string& name) { // theirs has it, the blueprint has not
      return name.starts_with(prefix) && !names.contains(name) ? name.substr(prefix.size()) : name;
    });
    if (of_blueprint.contains(prefix))
      try_names([&](const std::string& name) { return names.contains(name) ? name : prefix + name; });
  }
  return best;
}

} // namespace

bool is_weight_index(const JsonValue& document) {
  return document.find("weight_map") != nullptr;
}

WeightIndex read_weight_index(const JsonValue& document, const std::string& path) {
  const JsonValue* map = document.find("weight_map");
  if (!map || !map->is(IndexKind::object)) refuse_index(path, said("the file has no weight_map of names"));
  WeightIndex index{path, {}, {}};
  std::set<std::string> files;
  for (std::size_t i = 0; i < map->names.size(); ++i) {
    const std::string& name = map->names[i];
    const JsonValue& file = map->values[i];
    if (!file.is(IndexKind::text))
      refuse_index(path, said("tensor {name} stands in {value}, which is no file's name",
                              {{"name", in_quotes(name)}, {"value", described(file)}}));
    files.insert(file.text);
    index.tensors.push_back({name, file.text});
  }
  if (index.tensors.empty()) refuse_index(path, said("the weight_map names no tensor"));
  index.files = files.size();
  if (const JsonValue* metadata = document.find("metadata"))
    if (const JsonValue* bytes = metadata->find("total_size")) index.bytes = bytes_in(*bytes, path);
  return index;
}

Module tree_of(const WeightIndex& index) {
  std::vector<FileTensor> tensors;
  for (const WeightIndex::Tensor& one : index.tensors) tensors.push_back({one.name, {0}});
  return tree_of(tensors);
}

IndexComparison compare(const Module& root, const WeightIndex& index) {
  const std::vector<NamedTensor> known = tensors_of(root);
  const std::vector<std::string> names = aligned(known, index);
  const std::unordered_set<std::string> there(names.begin(), names.end());
  IndexComparison result;
  std::unordered_set<std::string> ours;
  for (const NamedTensor& one : known) {
    ours.insert(one.name);
    const bool may_lack = !one.tensor.tied_to.empty() || one.tensor.kind == TensorKind::buffer;
    if (!there.contains(one.name) && !may_lack) result.missing.push_back(one.name);
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (ours.contains(names[i]))
      ++result.shared;
    else
      result.besides.push_back(index.tensors[i].name);
  }
  return result;
}

} // namespace tfx::params
