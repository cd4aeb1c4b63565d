#include "trace/rerun.hpp"

#include <algorithm>
#include <utility>

namespace tfx {

Rerun::Rerun(const Trace& trace, const std::map<std::string, Replacement>& instead, const std::string& until)
    : trace_(trace) {
  bool ended = false;
  for (const Step& step : trace.steps) {
    if (std::exchange(ended, step.name == until)) break;
    const auto& inputs = step.operation.inputs;
    const bool follows =
        std::ranges::any_of(inputs, [&](const std::string& name) { return changed_.contains(name); });
    const auto replacement = instead.find(step.name);
    if (!follows && replacement == instead.end()) continue;
    Tensor value;
    if (follows) {
      std::vector<const Tensor*> read;
      for (const std::string& name : inputs) read.push_back(&(*this)[name]);
      value = compute(Arguments(step.operation, std::move(read)));
    } else {
      value = step.value;
    }
    changed_.emplace(step.name, replacement == instead.end() ? std::move(value) : replacement->second(value));
  }
}

const Tensor& Rerun::operator[](const std::string& name) const {
  const auto found = changed_.find(name);
  return found == changed_.end() ? trace_[name] : found->second;
}

} // namespace tfx
