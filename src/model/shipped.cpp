#include "model/shipped.hpp"

#include "core/resource.hpp"

namespace tfx {

namespace {
const std::string folder = "data/models/", extension = ".safetensors";
} // namespace

std::vector<std::string> shipped_models() {
  std::vector<std::string> names;
  for (const std::string_view path : resources_in(folder))
    names.emplace_back(path.substr(folder.size(), path.size() - folder.size() - extension.size()));
  return names;
}

TensorFile shipped_model(const std::string& name) {
  const std::string path = folder + name + extension;
  return TensorFile(name, std::string(resource(path)));
}

} // namespace tfx
