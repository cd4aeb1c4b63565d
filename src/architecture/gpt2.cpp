// GPT2LMHeadModel of Hugging Face's transformers, names of its published files; Radford et al. 2019.

#include "architecture/shape.hpp"

namespace tfx::params {

namespace {

constexpr std::uint64_t gelu_with_tanh = 9;

/// The library's own Conv1D: weights (d_in, d_out), and no rule for it in thop.
Module conv1d(const std::string& name, const Figure& tokens, const Figure& in, const Figure& out) {
  Module module = linear(name, tokens, in, out);
  module.tensors[0].shape = {in, out};
  module.operations[0].hook = 0;
  return module;
}

Module gpt2_layer(const Sizes& s) {
  const Figure tokens = s.B * s.n;
  Module attention{"attn"}, mlp{"mlp"};
  attention.tensors = {{"bias", {1, 1, s.P, s.P}, TensorKind::buffer}}; // the causal mask
  attention.operations = attention_products({s.B, s.h, s.n, s.n, s.d});
  attention.children = {conv1d("c_attn", tokens, s.d, s.d * 3), conv1d("c_proj", tokens, s.d, s.d)};
  mlp.operations = {elementwise(LayerOperationKind::activation, tokens * s.f, gelu_with_tanh)};
  mlp.children = {conv1d("c_fc", tokens, s.d, s.f), conv1d("c_proj", tokens, s.f, s.d)};
  const LayerOperation residual = elementwise(LayerOperationKind::add, tokens * s.d, 1);
  attention.operations.push_back(residual), mlp.operations.push_back(residual);
  return {"",
          ModuleKind::layer,
          {},
          {},
          {layer_norm("ln_1", tokens, s.d), attention, layer_norm("ln_2", tokens, s.d), mlp}};
}

} // namespace

Module gpt2(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  Module positions = embedding("wpe", tokens, s.P, s.d);
  positions.operations = {elementwise(LayerOperationKind::add, tokens * s.d, 1)};
  Module head = linear("lm_head", tokens, s.d, s.src_vocab, Bias::no);
  head.tensors[0].tied_to = "wte.weight";
  Module root{"", ModuleKind::group};
  root.children = {embedding("wte", tokens, s.src_vocab, s.d), positions};
  for (Module& one : repeated(gpt2_layer(s), "h", shape.layers)) root.children.push_back(std::move(one));
  root.children.push_back(layer_norm("ln_f", tokens, s.d));
  root.children.push_back(head);
  return root;
}

} // namespace tfx::params
