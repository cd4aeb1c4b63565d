#include "parity/torch_runs.hpp"

#include "core/resource.hpp"
#include "io/safetensors.hpp"

namespace tfx {

namespace {
const std::string folder = "data/reference/", extension = ".safetensors";
} // namespace

TorchRun::TorchRun(const std::string& name) {
  const std::string path = folder + name + extension;
  Safetensors file = read_safetensors(resource(path), path);
  metadata_ = std::move(file.metadata);
  for (NamedArray& array : file.tensors) tensors_.emplace(array.name, std::move(array.array.values));
}

std::vector<TokenIds> TorchRun::rows(const std::string& name, std::size_t i) const {
  const arma::mat ids = matrix(tensors_.at(name), i);
  std::vector<TokenIds> rows(ids.n_rows);
  for (arma::uword r = 0; r < ids.n_rows; ++r)
    for (arma::uword c = 0; c < ids.n_cols; ++c) rows[r].push_back(static_cast<std::uint32_t>(ids(r, c)));
  return rows;
}

std::vector<std::string> torch_runs(const std::string& beginning) {
  std::vector<std::string> names;
  for (const std::string_view path : resources_in(folder + beginning)) {
    const std::string name(path.substr(folder.size(), path.size() - folder.size() - extension.size()));
    if (!name.ends_with(".weights")) names.push_back(name);
  }
  return names;
}

TensorFile torch_weights(const std::string& name) {
  const std::string path = folder + name + ".weights" + extension;
  return TensorFile(path, std::string(resource(path)));
}

} // namespace tfx
