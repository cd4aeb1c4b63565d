#pragma once
// A run once more with other numbers in some of its tensors: what follows from them comes by the recorded
// operations, the rest stands.

#include "trace/trace.hpp"

#include <functional>
#include <map>

namespace tfx {

/// What takes the place of a tensor, from what the tensor is by then.
using Replacement = std::function<Tensor(const Tensor&)>;

class Rerun {
public:
  /// `instead` by the names of tensors; `until`: the last step that is computed, empty: all are. The trace
  /// must outlive this.
  Rerun(const Trace& trace, const std::map<std::string, Replacement>& instead, const std::string& until = {});

  /// The tensor of that name, as it comes out now.
  const Tensor& operator[](const std::string& name) const;
  /// Those that are not as they were, by name.
  const std::map<std::string, Tensor>& changed() const { return changed_; }

private:
  const Trace& trace_;
  std::map<std::string, Tensor> changed_;
};

} // namespace tfx
