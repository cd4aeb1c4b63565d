#include "architecture/parts.hpp"

namespace tfx::params {

namespace {

constexpr std::uint64_t rms_norm_steps = 4, rotary_steps = 3;

} // namespace

Module rms_norm(const std::string& name, const Figure& tokens, const Figure& width) {
  return {name,
          ModuleKind::unit,
          {{"weight", {width}}},
          {elementwise(LayerOperationKind::norm, tokens * width, rms_norm_steps)}};
}

LayerOperation residual(const Figure& tokens, const Figure& width) {
  return elementwise(LayerOperationKind::add, tokens * width, 1);
}

std::optional<Module> position_table(const std::string& name, const ModelShape& shape, const Figure& tokens,
                                     const Figure& rows, const Figure& width) {
  if (shape.positions != Positions::learned && shape.positions != Positions::sinusoidal) return std::nullopt;
  Module table = embedding(name, tokens, rows, width);
  if (shape.positions == Positions::sinusoidal) table.tensors[0].kind = TensorKind::buffer;
  table.operations = {residual(tokens, width)};
  return table;
}

void add_rotation(std::vector<LayerOperation>& operations, const ModelShape& shape, const Figure& tokens,
                  const Sizes& sizes) {
  if (shape.positions != Positions::rotary) return;
  const Figure turned =
      shape.rotated ? Figure((shape.heads + shape.key_heads()) * shape.rotated) : sizes.d_q + sizes.d_kv;
  operations.push_back(elementwise(LayerOperationKind::activation, tokens * turned, rotary_steps));
}

std::vector<LayerOperation> self_attention(const ModelShape& shape, const Sizes& sizes) {
  std::vector<LayerOperation> operations =
      attention_products({sizes.B, sizes.h, sizes.n, sizes.n, sizes.d_q});
  add_rotation(operations, shape, sizes.B * sizes.n, sizes);
  return operations;
}

std::vector<Module> projections(const ProjectionNames& names, const ModelShape& shape, const Sizes& sizes,
                                const Figure& queries, const Figure& keys) {
  const Bias inner = bias_if(shape.biases.queries), last = bias_if(shape.biases.output);
  return {linear(names.query, queries, sizes.d, sizes.d_q, inner),
          linear(names.key, keys, sizes.d, sizes.d_kv, inner),
          linear(names.value, keys, sizes.d, sizes.d_kv, inner),
          linear(names.output, queries, sizes.d_q, sizes.d, last)};
}

std::vector<LayerOperation> hidden_operations(const ModelShape& shape, const Figure& tokens,
                                              const Figure& width) {
  std::vector<LayerOperation> operations{
      elementwise(LayerOperationKind::activation, tokens * width, shape.activation)};
  if (shape.gated) operations.push_back(elementwise(LayerOperationKind::activation, tokens * width, 1));
  return operations;
}

std::vector<Module> widening(const std::string& gate, const std::string& up, const ModelShape& shape,
                             const Sizes& sizes, const Figure& tokens) {
  const Bias bias = bias_if(shape.biases.feed_forward);
  std::vector<Module> matrices{linear(up, tokens, sizes.d, sizes.f, bias)};
  if (shape.gated) matrices.insert(matrices.begin(), linear(gate, tokens, sizes.d, sizes.f, bias));
  return matrices;
}

} // namespace tfx::params
