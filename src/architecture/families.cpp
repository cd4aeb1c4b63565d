// The blueprint of each family of models, a function each, under the names that its published implementation
// gives the tensors.

#include "architecture/shape.hpp"

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

// BertModel of Hugging Face's transformers, with its pooler and without a head; Devlin et al. 2018.

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

// GPT2LMHeadModel of Hugging Face's transformers, names of its published files; Radford et al. 2019.

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

// LlamaForCausalLM of Hugging Face's transformers: RMSNorm, SwiGLU, rotary positions, no biases; Touvron et
// al. 2023.

namespace {

constexpr std::uint64_t rms_norm_steps = 4, silu_steps = 4, rotary_steps = 3;

Module rms_norm(const std::string& name, const Figure& tokens, const Figure& d) {
  return {name,
          ModuleKind::unit,
          {{"weight", {d}}},
          {elementwise(LayerOperationKind::norm, tokens * d, rms_norm_steps)}};
}

Module llama_layer(const Sizes& s) {
  const Figure tokens = s.B * s.n, cells = tokens * s.d;
  Module attention{"self_attn"}, mlp{"mlp"};
  for (const char* name : {"q_proj", "k_proj", "v_proj", "o_proj"})
    attention.children.push_back(linear(name, tokens, s.d, s.d, Bias::no));
  attention.operations = attention_products({s.B, s.h, s.n, s.n, s.d});
  attention.operations.push_back(
      elementwise(LayerOperationKind::activation, cells * 2, rotary_steps)); // Q and K
  attention.operations.push_back(elementwise(LayerOperationKind::add, cells, 1));
  mlp.children = {linear("gate_proj", tokens, s.d, s.f, Bias::no),
                  linear("up_proj", tokens, s.d, s.f, Bias::no),
                  linear("down_proj", tokens, s.f, s.d, Bias::no)};
  mlp.operations = {elementwise(LayerOperationKind::activation, tokens * s.f, silu_steps),
                    elementwise(LayerOperationKind::activation, tokens * s.f, 1), // the gate: silu(gate) · up
                    elementwise(LayerOperationKind::add, cells, 1)};
  return {"",
          ModuleKind::layer,
          {},
          {},
          {attention, mlp, rms_norm("input_layernorm", tokens, s.d),
           rms_norm("post_attention_layernorm", tokens, s.d)}};
}

} // namespace

Module llama(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  Module model{"model", ModuleKind::group};
  model.children = {embedding("embed_tokens", tokens, s.src_vocab, s.d)};
  for (Module& one : repeated(llama_layer(s), "layers", shape.layers))
    model.children.push_back(std::move(one));
  model.children.push_back(rms_norm("norm", tokens, s.d));
  Module head = linear("lm_head", tokens, s.d, s.src_vocab, Bias::no);
  if (shape.tied) head.tensors[0].tied_to = "model.embed_tokens.weight";
  return {"", ModuleKind::group, {}, {}, {model, head}};
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
