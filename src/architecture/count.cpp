#include "architecture/count.hpp"

namespace tfx::params {

Totals& Totals::operator+=(const Totals& t) {
  parameters += t.parameters, buffers += t.buffers, macs += t.macs, other += t.other;
  cells += t.cells, hook += t.hook, seen += t.seen, tied += t.tied;
  return *this;
}

Figure elements(const TensorSpec& tensor) {
  if (!tensor.tied_to.empty()) return 0;
  Figure product = 1;
  for (const Figure& extent : tensor.shape) product = product * extent;
  return product;
}

Totals totals(const Module& module) {
  Totals sum;
  for (const TensorSpec& tensor : module.tensors) {
    (tensor.kind == TensorKind::parameter ? sum.parameters : sum.buffers) += elements(tensor);
    sum.tied += !tensor.tied_to.empty();
  }
  for (const LayerOperation& one : module.operations) {
    sum.macs += one.macs, sum.other += one.other, sum.cells += one.cells, sum.hook += one.hook;
    if (one.hook.estimate() > 0) sum.seen += one.macs;
  }
  for (const Module& child : module.children) sum += totals(child);
  return sum;
}

Figure macs_of(const Module& module, LayerOperationKind kind) {
  Figure sum;
  for (const LayerOperation& one : module.operations)
    if (one.kind == kind) sum += one.macs;
  for (const Module& child : module.children) sum += macs_of(child, kind);
  return sum;
}

std::string join(const std::string& prefix, const std::string& name) {
  return prefix.empty() || name.empty() ? prefix + name : prefix + "." + name;
}

namespace {

void collect(std::vector<NamedTensor>& all, const std::string& prefix, const Module& module) {
  for (const TensorSpec& tensor : module.tensors) all.push_back({join(prefix, tensor.name), tensor});
  for (const Module& child : module.children) collect(all, join(prefix, child.name), child);
}

} // namespace

std::vector<NamedTensor> tensors_of(const Module& module) {
  std::vector<NamedTensor> all;
  collect(all, module.name, module);
  return all;
}

} // namespace tfx::params
