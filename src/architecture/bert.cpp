// BertModel of Hugging Face's transformers, with its pooler and without a head; Devlin et al. 2018.

#include "architecture/shape.hpp"

namespace tfx::params {

namespace {

constexpr std::uint64_t segments = 2, gelu_with_erf = 5;

Module residual_output(const std::string& name, const Figure& tokens, const Figure& in, const Figure& d) {
  Module module{name};
  module.operations = {elementwise(LayerOperationKind::add, tokens * d, 1)};
  module.children = {linear("dense", tokens, in, d), layer_norm("LayerNorm", tokens, d)};
  return module;
}

Module bert_layer(const Sizes& s) {
  const Figure tokens = s.B * s.n;
  Module self{"self"};
  self.operations = attention_products({s.B, s.h, s.n, s.n, s.d});
  for (const char* name : {"query", "key", "value"}) self.children.push_back(linear(name, tokens, s.d, s.d));
  Module attention{"attention"}, intermediate{"intermediate"};
  attention.children = {self, residual_output("output", tokens, s.d, s.d)};
  intermediate.operations = {elementwise(LayerOperationKind::activation, tokens * s.f, gelu_with_erf)};
  intermediate.children = {linear("dense", tokens, s.d, s.f)};
  return {
      "", ModuleKind::layer, {}, {}, {attention, intermediate, residual_output("output", tokens, s.f, s.d)}};
}

} // namespace

Module bert(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  Module embeddings{"embeddings", ModuleKind::group}, encoder{"encoder", ModuleKind::group}, pooler{"pooler"};
  Module positions = embedding("position_embeddings", tokens, s.P, s.d),
         types = embedding("token_type_embeddings", tokens, segments, s.d);
  for (Module* added : {&positions, &types})
    added->operations = {elementwise(LayerOperationKind::add, tokens * s.d, 1)};
  embeddings.children = {embedding("word_embeddings", tokens, s.src_vocab, s.d), positions, types,
                         layer_norm("LayerNorm", tokens, s.d)};
  encoder.children = repeated(bert_layer(s), "layer", shape.layers);
  pooler.operations = {elementwise(LayerOperationKind::activation, s.B * s.d, 1)}; // tanh of the first token
  pooler.children = {linear("dense", s.B, s.d, s.d)};
  return {
      "", ModuleKind::group, {}, {}, {{"bert", ModuleKind::group, {}, {}, {embeddings, encoder, pooler}}}};
}

} // namespace tfx::params
