#pragma once
// PyTorch's runs of small models that are part of the executable: data/reference/model and training.

#include "io/array_file.hpp"
#include "model/batch.hpp"
#include "train/gradient_descent.hpp"

#include <map>
#include <string>
#include <vector>

namespace tfx {

/// A .safetensors file of the reference.
class TorchRun {
public:
  /// "model/layers-1". Throws Error(internal) where none is embedded.
  explicit TorchRun(const std::string& name);

  const Tensor& operator[](const std::string& name) const { return tensors_.at(name); }
  const std::map<std::string, Tensor>& tensors() const { return tensors_; }
  const std::map<std::string, std::string>& metadata() const { return metadata_; }

  /// Ids: the rows of a tensor, or of its matrix `i`; 0 is padding.
  std::vector<TokenIds> rows(const std::string& name, std::size_t i = 0) const;

private:
  std::map<std::string, Tensor> tensors_;
  std::map<std::string, std::string> metadata_;
};

/// The names of the embedded files in a folder that begin so: "model/layers-".
std::vector<std::string> torch_runs(const std::string& beginning);

/// The weights that belong to "model/layers-1".
TensorFile torch_weights(const std::string& name);

} // namespace tfx
