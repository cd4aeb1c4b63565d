// The tutorial attention-block: token and position embeddings, one attention without biases. Its arrays are
// NumPy's; the projections are counted as the nn.Linear they would be.

#include "architecture/shape.hpp"

namespace tfx::params {

namespace {

Module projection(const std::string& name, const Figure& tokens, const Figure& width) {
  Module module = linear("", tokens, width, width, Bias::no);
  module.name = "";
  module.tensors[0].name = name;
  return module;
}

} // namespace

Module attention_block(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  Module position = embedding("position_embedding", tokens, s.P, s.d);
  position.operations = {elementwise(LayerOperationKind::add, tokens * s.d, 1)};
  Module qkv{"attention", ModuleKind::group};
  Module projections{"qkv"}, output{"output"};
  for (const char* name : {"W_q", "W_k", "W_v"}) {
    Module one = projection(name, tokens, s.d);
    projections.tensors.push_back(one.tensors[0]), projections.operations.push_back(one.operations[0]);
  }
  Module core{"weights"};
  core.operations = attention_products({s.B, s.h, s.n, s.n, s.d});
  Module last = projection("W_o", tokens, s.d);
  output.tensors = last.tensors, output.operations = last.operations;
  qkv.children = {projections, core, output};
  return {
      "", ModuleKind::group, {}, {}, {embedding("token_embedding", tokens, s.src_vocab, s.d), position, qkv}};
}

} // namespace tfx::params
