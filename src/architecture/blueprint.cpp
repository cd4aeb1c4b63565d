#include "architecture/blueprint.hpp"

#include <algorithm>

namespace tfx::params {

namespace {

constexpr std::uint64_t softmax_steps = 5, layer_norm_steps = 7, thop_norm_steps = 4;

} // namespace

bool equal_but_for_name(const Module& a, const Module& b) {
  return a.kind == b.kind && a.tensors == b.tensors && a.operations == b.operations &&
         std::equal(
             a.children.begin(), a.children.end(), b.children.begin(), b.children.end(),
             [](const Module& x, const Module& y) { return x.name == y.name && equal_but_for_name(x, y); });
}

Module linear(const std::string& name, const Figure& tokens, const Figure& in, const Figure& out, Bias bias) {
  const Figure macs = tokens * in * out, cells = tokens * out;
  Module module{name};
  module.tensors.push_back({"weight", {out, in}});
  if (bias == Bias::yes) module.tensors.push_back({"bias", {out}});
  module.operations.push_back({LayerOperationKind::linear, macs, bias == Bias::yes ? cells : 0, cells, macs});
  return module;
}

Module embedding(const std::string& name, const Figure& tokens, const Figure& rows, const Figure& width) {
  return {name,
          ModuleKind::unit,
          {{"weight", {rows, width}}},
          {{LayerOperationKind::lookup, 0, 0, tokens * width, 0}}};
}

Module layer_norm(const std::string& name, const Figure& tokens, const Figure& width) {
  LayerOperation norm = elementwise(LayerOperationKind::norm, tokens * width, layer_norm_steps);
  norm.hook = tokens * width * thop_norm_steps;
  return {name, ModuleKind::unit, {{"weight", {width}}, {"bias", {width}}}, {norm}};
}

std::vector<LayerOperation> attention_products(const AttentionSize& size) {
  const Figure pairs = size.batch * size.queries * size.keys, macs = pairs * size.width;
  const Figure scores = pairs * size.heads;
  return {{LayerOperationKind::matmul, macs, scores, scores, 0}, // scaled in place
          elementwise(LayerOperationKind::softmax, scores, softmax_steps),
          {LayerOperationKind::matmul, macs, 0, size.batch * size.queries * size.width, 0}};
}

LayerOperation elementwise(LayerOperationKind kind, const Figure& cells, std::uint64_t each) {
  return {kind, 0, cells * each, cells, 0};
}

Totals& Totals::operator+=(const Totals& t) {
  parameters += t.parameters, buffers += t.buffers, macs += t.macs, other += t.other;
  cells += t.cells, hook += t.hook, seen += t.seen, tied += t.tied;
  tensors += t.tensors;
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
    sum.tied += !tensor.tied_to.empty(), ++sum.tensors;
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
