// The blueprint of the tutorials' models and of resnet18, a function each, under the names that the published
// implementation gives the tensors.

#include "architecture/parts.hpp"

namespace tfx::params {

// The tutorial attention-block: token and position embeddings, one attention without biases. Its arrays are
// NumPy's; the projections are counted as the nn.Linear they would be.

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

// The encoder-decoder of The Annotated Transformer, names and order of its state_dict; Vaswani et al. 2017.

namespace {

/// The notebook's LayerNorm is a module of its own: thop has no rule for it.
Module annotated_norm(const std::string& name, const Figure& tokens, const Figure& d) {
  Module module = layer_norm(name, tokens, d);
  module.tensors[0].name = "a_2", module.tensors[1].name = "b_2";
  module.operations[0].hook = 0;
  return module;
}

Module attention(const std::string& name, const ModelShape& shape, const Sizes& s, const Figure& queries,
                 const Figure& keys) {
  Module module{name};
  module.operations = attention_products({s.B, s.h, queries, keys, s.d_q});
  if (name == "self_attn") add_rotation(module.operations, shape, s.B * queries, s);
  module.children =
      projections({"linears.0", "linears.1", "linears.2", "linears.3"}, shape, s, s.B * queries, s.B * keys);
  return module;
}

Module feed_forward(const ModelShape& shape, const Figure& tokens, const Sizes& s) {
  const Bias bias = bias_if(shape.biases.feed_forward);
  Module module{"feed_forward"};
  module.operations = hidden_operations(shape, tokens, s.f);
  module.children = {linear("w_1", tokens, s.d, s.f, bias), linear("w_2", tokens, s.f, s.d, bias)};
  if (shape.gated)
    module.children.push_back(linear("w_3", tokens, s.d, s.f, bias)); // as Llama's first files have it
  return module;
}

Module sublayers(std::size_t count, const Figure& tokens, const Sizes& s) {
  Module all{"sublayer"};
  for (std::size_t i = 0; i < count; ++i) {
    Module one{std::to_string(i)};
    one.operations = {residual(tokens, s.d)};
    one.children = {annotated_norm("norm", tokens, s.d)};
    all.children.push_back(one);
  }
  return all;
}

Module embed(const std::string& name, const ModelShape& shape, const Figure& tokens, const Figure& vocab,
             const Sizes& s) {
  Module module{name}, table = embedding("0.lut", tokens, vocab, s.d);
  table.operations[0].other = tokens * s.d; // times √d_model
  module.children = {table};
  if (std::optional<Module> positions = position_table("1", shape, tokens, s.P, s.d)) {
    positions->tensors[0].name = "pe", positions->tensors[0].shape = {1, s.P, s.d};
    module.children.push_back(*positions);
  }
  return module;
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
      {attention("self_attn", shape, s, s.n, s.n), feed_forward(shape, src, s), sublayers(2, src, s)}};
  const Module decoder_layer{"",
                             ModuleKind::layer,
                             {},
                             {},
                             {attention("self_attn", shape, s, s.m, s.m),
                              attention("src_attn", shape, s, s.m, s.n), feed_forward(shape, tgt, s),
                              sublayers(3, tgt, s)}};
  Module encoder{"encoder", ModuleKind::group}, decoder{"decoder", ModuleKind::group};
  encoder.children = repeated(encoder_layer, "layers", shape.layers);
  decoder.children = repeated(decoder_layer, "layers", shape.layers);
  if (!shape.paper_style) {
    encoder.children.push_back(annotated_norm("norm", src, s.d));
    decoder.children.push_back(annotated_norm("norm", tgt, s.d));
  }
  Module root{"", ModuleKind::group};
  root.children = {encoder, decoder, embed("src_embed", shape, src, s.src_vocab, s),
                   embed("tgt_embed", shape, tgt, s.tgt_vocab, s),
                   generator(tgt, s, bias_if(shape.biases.generator))};
  if (shape.tied) {
    const std::string table = "src_embed.0.lut.weight";
    root.children[3].children[0].tensors[0].tied_to = table;
    root.children[4].children[0].tensors[0].tied_to = table;
  }
  return root;
}

// The listing at the end of annotated's page: an embedding, nn.TransformerEncoder on layers of
// nn.TransformerEncoderLayer, and a linear layer that is called the decoder.

Module torch_encoder(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  Module self{"self_attn"}, feed_forward{"feed_forward"}, norms{"norms"};
  self.operations = self_attention(shape, s);
  self.operations.push_back(residual(tokens, s.d));
  self.children = {linear("in_proj", tokens, s.d, s.d_q + s.d_kv * 2, bias_if(shape.biases.queries)),
                   linear("out_proj", tokens, s.d_q, s.d, bias_if(shape.biases.output))};
  feed_forward.operations = hidden_operations(shape, tokens, s.f);
  feed_forward.operations.push_back(residual(tokens, s.d));
  feed_forward.children = widening("gate", "linear1", shape, s, tokens);
  feed_forward.children.push_back(linear("linear2", tokens, s.f, s.d, bias_if(shape.biases.feed_forward)));
  norms.children = {layer_norm("norm1", tokens, s.d), layer_norm("norm2", tokens, s.d)};
  const Module layer{"", ModuleKind::layer, {}, {}, {self, feed_forward, norms}};
  Module encoder{"encoder", ModuleKind::group}, root{"", ModuleKind::group};
  encoder.children = repeated(layer, "layers", shape.layers);
  Module decoder = linear("decoder", tokens, s.d, s.tgt_vocab, bias_if(shape.biases.generator));
  if (shape.tied) decoder.tensors[0].tied_to = "embedding.weight";
  root.children = {embedding("embedding", tokens, s.src_vocab, s.d)};
  if (const auto positions = position_table("positions", shape, tokens, s.P, s.d))
    root.children.push_back(*positions);
  root.children.push_back(encoder), root.children.push_back(decoder);
  return root;
}

// torchvision's resnet18 on an image of 224×224; He et al. 2015. thop counts its convolutions and its linear
// layer as they are, 4 for every cell of a BatchNorm (2, and 2 more for gamma and shift), and for the average
// the window + 1.

namespace {

constexpr std::uint64_t side_of_image = 224, colours = 3, first_channels = 64, classes = 1000, norm_steps = 4;

struct Image {
  std::uint64_t channels, side;
};

Module convolution(const std::string& name, const Figure& batch, const Image& in, const Image& out,
                   std::uint64_t side) {
  const Figure cells = batch * (out.channels * out.side * out.side);
  const Figure macs = cells * (in.channels * side * side);
  return {name,
          ModuleKind::unit,
          {{"weight", {out.channels, in.channels, side, side}}},
          {{LayerOperationKind::convolution, macs, 0, cells, macs}}};
}

Figure cells_of(const Figure& batch, const Image& in) {
  return batch * (in.channels * in.side * in.side);
}

Module batch_norm(const std::string& name, const Figure& batch, const Image& in) {
  LayerOperation norm = elementwise(LayerOperationKind::norm, cells_of(batch, in), norm_steps);
  norm.hook = norm.other;
  return {name,
          ModuleKind::unit,
          {{"weight", {in.channels}},
           {"bias", {in.channels}},
           {"running_mean", {in.channels}, TensorKind::buffer},
           {"running_var", {in.channels}, TensorKind::buffer},
           {"num_batches_tracked", {}, TensorKind::buffer}},
          {norm}};
}

Module relu(const Figure& batch, const Image& in, std::uint64_t times) {
  Module module{"relu"};
  for (std::uint64_t i = 0; i < times; ++i)
    module.operations.push_back(elementwise(LayerOperationKind::activation, cells_of(batch, in), 1));
  return module;
}

Module block(const Figure& batch, const Image& in, const Image& out) {
  Module module{"", ModuleKind::layer};
  module.operations = {elementwise(LayerOperationKind::add, cells_of(batch, out), 1)};
  module.children = {convolution("conv1", batch, in, out, 3), batch_norm("bn1", batch, out),
                     relu(batch, out, 2), convolution("conv2", batch, out, out, 3),
                     batch_norm("bn2", batch, out)};
  if (in.channels != out.channels) {
    Module downsample{"downsample"};
    downsample.children = {convolution("0", batch, in, out, 1), batch_norm("1", batch, out)};
    module.children.push_back(downsample);
  }
  return module;
}

} // namespace

Module resnet18(const ModelShape& shape) {
  const Sizes s(shape);
  const Image picture{colours, side_of_image}, stem{first_channels, side_of_image / 2};
  Image now{first_channels, side_of_image / 4};
  Module root{"", ModuleKind::group}, maxpool{"maxpool"}, avgpool{"avgpool"};
  maxpool.operations = {elementwise(LayerOperationKind::pool, cells_of(s.B, now), 8)}; // 3×3: 8 comparisons
  root.children = {convolution("conv1", s.B, picture, stem, 7), batch_norm("bn1", s.B, stem),
                   relu(s.B, stem, 1), maxpool};
  for (const int stage : {1, 2, 3, 4}) {
    const Image out = stage == 1 ? now : Image{now.channels * 2, now.side / 2};
    Module layer{"layer" + std::to_string(stage), ModuleKind::group};
    layer.children = {block(s.B, now, out), block(s.B, out, out)};
    layer.children[0].name = "0", layer.children[1].name = "1";
    root.children.push_back(layer);
    now = out;
  }
  const std::uint64_t window = now.side * now.side;
  LayerOperation average = elementwise(LayerOperationKind::pool, s.B * now.channels, window);
  average.hook = s.B * (now.channels * (window + 1));
  avgpool.operations = {average};
  root.children.push_back(avgpool);
  root.children.push_back(linear("fc", s.B, now.channels, classes));
  return root;
}

} // namespace tfx::params
