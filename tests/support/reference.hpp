#pragma once
// NumPy's runs of the tutorials as tests read them: data/reference/lessons.

#include "io/file.hpp"
#include "io/npz.hpp"

#include <algorithm>
#include <string>

namespace tfx {

class Reference {
public:
  /// "fun-transformer:1"
  explicit Reference(std::string run) : Reference(file_of(std::move(run)), 0) {}

  /// The array that stands for a lesson's tensor: "masked.weights" if the file has it, else "weights";
  /// nullptr where neither is there.
  const Tensor* find(const std::string& lesson, const std::string& tensor) const {
    const Tensor* own = find(lesson + "." + tensor);
    return own ? own : find(tensor);
  }

  const Tensor* find(const std::string& name) const {
    const auto entry =
        std::find_if(arrays_.begin(), arrays_.end(), [&](const NamedArray& a) { return a.name == name; });
    return entry == arrays_.end() ? nullptr : &entry->array.values;
  }

private:
  Reference(const std::string& path, int) : arrays_(read_npz(read_file(path), path)) {}

  static std::string file_of(std::string run) {
    std::replace(run.begin(), run.end(), ':', '-');
    return std::string(TFX_SOURCE_DIR) + "/data/reference/lessons/" + run + ".npz";
  }

  std::vector<NamedArray> arrays_;
};

} // namespace tfx
