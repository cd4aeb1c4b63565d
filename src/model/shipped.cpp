#include "model/shipped.hpp"

#include "core/resource.hpp"

#include <algorithm>

namespace tfx {

namespace {
const std::string folder = "data/models/", extension = ".safetensors";
constexpr std::string_view writers[] = {"microgpt"};
} // namespace

std::vector<std::string> shipped_names() {
  std::vector<std::string_view> paths = resources_in(folder);
  std::ranges::stable_sort(paths, {}, [](std::string_view path) { return resource(path).size(); });
  std::vector<std::string> names;
  for (const std::string_view path : paths)
    names.emplace_back(path.substr(folder.size(), path.size() - folder.size() - extension.size()));
  return names;
}

namespace {

std::vector<std::string> shipped(bool writes) {
  std::vector<std::string> names = shipped_names();
  std::erase_if(names, [&](const std::string& name) { return std::ranges::count(writers, name) != writes; });
  return names;
}

} // namespace

std::vector<std::string> shipped_models() {
  return shipped(false);
}

std::vector<std::string> shipped_writers() {
  return shipped(true);
}

TensorFile shipped_model(const std::string& name) {
  const std::string path = folder + name + extension;
  return TensorFile(name, std::string(resource(path)));
}

} // namespace tfx
