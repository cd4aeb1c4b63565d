// The encoder-decoder of The Annotated Transformer, names and order of its state_dict; Vaswani et al. 2017.

#include "architecture/shape.hpp"

namespace tfx::params {

namespace {

/// The notebook's LayerNorm is a module of its own: thop has no rule for it.
Module annotated_norm(const std::string& name, const Figure& tokens, const Figure& d) {
  Module module = layer_norm(name, tokens, d);
  module.tensors[0].name = "a_2", module.tensors[1].name = "b_2";
  module.operations[0].hook = 0;
  return module;
}

Module attention(const std::string& name, const AttentionSize& size) {
  const Figure queries = size.batch * size.queries, keys = size.batch * size.keys;
  Module module{name};
  module.operations = attention_products(size);
  for (const int i : {0, 1, 2, 3})
    module.children.push_back(
        linear("linears." + std::to_string(i), i == 1 || i == 2 ? keys : queries, size.width, size.width));
  return module;
}

Module feed_forward(const Figure& tokens, const Sizes& s) {
  Module module{"feed_forward"};
  module.operations = {elementwise(LayerOperationKind::activation, tokens * s.f, 1)};
  module.children = {linear("w_1", tokens, s.d, s.f), linear("w_2", tokens, s.f, s.d)};
  return module;
}

Module sublayers(std::size_t count, const Figure& tokens, const Sizes& s) {
  Module all{"sublayer"};
  for (std::size_t i = 0; i < count; ++i) {
    Module one{std::to_string(i)};
    one.operations = {elementwise(LayerOperationKind::add, tokens * s.d, 1)};
    one.children = {annotated_norm("norm", tokens, s.d)};
    all.children.push_back(one);
  }
  return all;
}

Module embed(const std::string& name, const Figure& tokens, const Figure& vocab, const Sizes& s) {
  Module table = embedding("0.lut", tokens, vocab, s.d);
  table.operations[0].other = tokens * s.d; // times √d_model
  Module positions{"1"};
  positions.tensors = {{"pe", {1, s.P, s.d}, TensorKind::buffer}};
  positions.operations = {elementwise(LayerOperationKind::add, tokens * s.d, 1)};
  return {name, ModuleKind::unit, {}, {}, {table, positions}};
}

Module generator(const Figure& tokens, const Sizes& s, Bias bias) {
  Module module{"generator"};
  module.children = {linear("proj", tokens, s.d, s.tgt_vocab, bias)};
  module.operations = {elementwise(LayerOperationKind::softmax, tokens * s.tgt_vocab, 5)};
  return module;
}

} // namespace

Module encoder_decoder(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure src = s.B * s.n, tgt = s.B * s.m;
  const Module encoder_layer{
      "",
      ModuleKind::layer,
      {},
      {},
      {attention("self_attn", {s.B, s.h, s.n, s.n, s.d}), feed_forward(src, s), sublayers(2, src, s)}};
  const Module decoder_layer{"",
                             ModuleKind::layer,
                             {},
                             {},
                             {attention("self_attn", {s.B, s.h, s.m, s.m, s.d}),
                              attention("src_attn", {s.B, s.h, s.m, s.n, s.d}), feed_forward(tgt, s),
                              sublayers(3, tgt, s)}};
  Module encoder{"encoder", ModuleKind::group}, decoder{"decoder", ModuleKind::group};
  encoder.children = repeated(encoder_layer, "layers", shape.layers);
  decoder.children = repeated(decoder_layer, "layers", shape.layers);
  if (!shape.paper_style) {
    encoder.children.push_back(annotated_norm("norm", src, s.d));
    decoder.children.push_back(annotated_norm("norm", tgt, s.d));
  }
  Module root{"", ModuleKind::group};
  root.children = {encoder, decoder, embed("src_embed", src, s.src_vocab, s),
                   embed("tgt_embed", tgt, s.tgt_vocab, s),
                   generator(tgt, s, shape.paper_style ? Bias::no : Bias::yes)};
  if (shape.tied) {
    const std::string table = "src_embed.0.lut.weight";
    root.children[3].children[0].tensors[0].tied_to = table;
    root.children[4].children[0].tensors[0].tied_to = table;
  }
  return root;
}

} // namespace tfx::params
