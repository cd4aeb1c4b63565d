#include "model/shipped.hpp"

#include "core/resource.hpp"

#include <algorithm>

namespace tfx {

namespace {
const std::string folder = "data/models/", extension = ".safetensors";
} // namespace

std::vector<std::string> shipped_models() {
  std::vector<std::string_view> paths = resources_in(folder);
  std::ranges::stable_sort(paths, {}, [](std::string_view path) { return resource(path).size(); });
  std::vector<std::string> names;
  for (const std::string_view path : paths)
    names.emplace_back(path.substr(folder.size(), path.size() - folder.size() - extension.size()));
  return names;
}

TensorFile shipped_model(const std::string& name) {
  const std::string path = folder + name + extension;
  return TensorFile(name, std::string(resource(path)));
}

} // namespace tfx
