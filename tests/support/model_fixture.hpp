#pragma once
// PyTorch's runs of small models: data/reference/model, made by tools/reference/make_model.py.

#include "io/file.hpp"
#include "io/safetensors.hpp"
#include "layers/forward_context.hpp"
#include "model/batch.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

namespace tfx {

class ModelFixture {
public:
  explicit ModelFixture(const std::string& name) : weights(folder() + name + ".weights.safetensors") {
    const std::string path = folder() + name + ".safetensors";
    for (NamedArray& array : read_safetensors(read_file(path), path).tensors) {
      if (array.name != "src" && array.name != "tgt") names.push_back(array.name);
      tensors.emplace(std::move(array.name), std::move(array.array.values));
    }
  }

  static std::string folder() { return std::string(TFX_SOURCE_DIR) + "/data/reference/model/"; }

  /// "src" or "tgt", rows as PyTorch had them; padding is 0.
  std::vector<TokenIds> rows(const std::string& name) const {
    const Tensor& ids = tensors.at(name);
    std::vector<TokenIds> rows(ids.shape[0]);
    for (std::size_t i = 0; i < ids.size(); ++i)
      rows[i / ids.shape[1]].push_back(static_cast<std::uint32_t>(ids.data[i]));
    return rows;
  }
  Batch padded(const std::string& name) const { return padded_batch(rows(name), 0); }

  std::string weights;                   ///< path of the state_dict
  std::vector<std::string> names;        ///< of the activations, in the order of their bytes
  std::map<std::string, Tensor> tensors; ///< activations, src, tgt
};

/// Keeps every activation, and the order in which they came.
template <class Real>
class Recorder : public Observer<Real> {
public:
  bool wants(const std::string&) override { return true; }
  void report(const std::string& name, const StridedView<Real>& value) override {
    names.push_back(name);
    tensors[name].push_back(to_tensor(value));
  }

  std::vector<std::string> names;
  std::map<std::string, std::vector<Tensor>> tensors; ///< one a call
};

/// max |a − b| / max(1, |b|); infinite where a value is not finite.
inline double relative_difference(const Tensor& a, const Tensor& b) {
  if (a.shape != b.shape) return HUGE_VAL;
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a.data[i] - b.data[i]) / std::max(1.0, std::abs(b.data[i]));
    worst = std::isfinite(difference) ? std::max(worst, difference) : HUGE_VAL;
  }
  return worst;
}

} // namespace tfx
