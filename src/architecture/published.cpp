// The blueprint of each family of published models, a function each: the class of Hugging Face's transformers
// that the comment names, with the names of its state_dict.

#include "architecture/parts.hpp"

#include <utility>

namespace tfx::params {

namespace {

Module group(const std::string& name, std::vector<Module> children) {
  return {name, ModuleKind::group, {}, {}, std::move(children)};
}

Module unit(const std::string& name, std::vector<LayerOperation> operations, std::vector<Module> children) {
  return {name, ModuleKind::unit, {}, std::move(operations), std::move(children)};
}

Module layer_of(std::vector<Module> children) {
  return {"", ModuleKind::layer, {}, {}, std::move(children)};
}

void append(std::vector<Module>& all, std::vector<Module> more) {
  for (Module& one : more) all.push_back(std::move(one));
}

void append_if_any(std::vector<Module>& all, std::optional<Module> one) {
  if (one) all.push_back(*std::move(one));
}

std::vector<LayerOperation> with_residual(std::vector<LayerOperation> operations, const Figure& tokens,
                                          const Figure& width) {
  operations.push_back(residual(tokens, width));
  return operations;
}

struct HiddenNames {
  const char *gate, *up, *down;
};

/// A feed-forward layer and its residual.
Module feed_forward(const std::string& name, const HiddenNames& names, const ModelShape& shape,
                    const Sizes& s, const Figure& tokens) {
  Module module = unit(name, with_residual(hidden_operations(shape, tokens, s.f), tokens, s.d),
                       widening(names.gate, names.up, shape, s, tokens));
  module.children.push_back(linear(names.down, tokens, s.f, s.d, bias_if(shape.biases.feed_forward)));
  return module;
}

/// The matrix before the softmax, which is the table of the embeddings where the shape ties them.
Module head(const std::string& name, const ModelShape& shape, const Figure& tokens, const Figure& width,
            const Figure& vocab, const std::string& table) {
  Module module = linear(name, tokens, width, vocab, bias_if(shape.biases.generator));
  if (shape.tied) module.tensors[0].tied_to = table;
  return module;
}

/// A decoder alone: tokens, positions where a table has them, layers, the last norm; and beside it the head.
Module decoder_alone(const std::string& name, const Module& table, const Module& layer, const Module& norm,
                     const std::string& head_name, const ModelShape& shape, const Sizes& s) {
  const Figure tokens = s.B * s.n;
  Module model = group(name, {table});
  append_if_any(model.children, position_table("embed_positions", shape, tokens, s.P, s.d));
  append(model.children, repeated(layer, "layers", shape.layers));
  model.children.push_back(norm);
  const std::string tokens_of = name + "." + table.name + ".weight";
  return group("", {model, head(head_name, shape, tokens, s.d, s.src_vocab, tokens_of)});
}

} // namespace

// BertModel and RobertaModel, with their pooler and without a head; Devlin et al. 2018, Liu et al. 2019.

namespace {

Module residual_output(const std::string& name, const Figure& tokens, const Figure& in, const Figure& d,
                       Bias bias) {
  return unit(name, {residual(tokens, d)},
              {linear("dense", tokens, in, d, bias), layer_norm("LayerNorm", tokens, d)});
}

Module bert_layer(const ModelShape& shape, const Sizes& s) {
  const Figure tokens = s.B * s.n;
  const Bias output = bias_if(shape.biases.output), inner = bias_if(shape.biases.feed_forward);
  std::vector<Module> matrices = projections({"query", "key", "value", ""}, shape, s, tokens, tokens);
  matrices.pop_back(); // W_O stands apart
  return layer_of({unit("attention", {},
                        {unit("self", self_attention(shape, s), matrices),
                         residual_output("output", tokens, s.d_q, s.d, output)}),
                   unit("intermediate", hidden_operations(shape, tokens, s.f),
                        widening("gate", "dense", shape, s, tokens)),
                   residual_output("output", tokens, s.f, s.d, inner)});
}

} // namespace

Module bert(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  const bool is_roberta = shape.family == Family::roberta;
  Module embeddings = group("embeddings", {embedding("word_embeddings", tokens, s.src_vocab, s.d)});
  const Figure rows = is_roberta ? s.P + 2 : s.P; // the first two are the padding's
  append_if_any(embeddings.children, position_table("position_embeddings", shape, tokens, rows, s.d));
  Module types = embedding("token_type_embeddings", tokens, shape.segments, s.d);
  types.operations = {residual(tokens, s.d)};
  append(embeddings.children, {types, layer_norm("LayerNorm", tokens, s.d)});
  const Module pooler = unit("pooler", {residual(s.B, s.d)}, // tanh of the first token
                             {linear("dense", s.B, s.d, s.d, bias_if(shape.biases.output))});
  return group(
      "",
      {group(is_roberta ? "roberta" : "bert",
             {embeddings, group("encoder", repeated(bert_layer(shape, s), "layer", shape.layers)), pooler})});
}

// GPT2LMHeadModel, names of its published files; Radford et al. 2019.

namespace {

/// The library's own Conv1D: weights (d_in, d_out), and no rule for it in thop.
Module conv1d(const std::string& name, const Figure& tokens, const Figure& in, const Figure& out, Bias bias) {
  Module module = linear(name, tokens, in, out, bias);
  module.tensors[0].shape = {in, out};
  module.operations[0].hook = 0;
  return module;
}

Module gpt2_layer(const ModelShape& shape, const Sizes& s) {
  const Figure tokens = s.B * s.n;
  const Bias inner = bias_if(shape.biases.feed_forward);
  Module attention = unit("attn", with_residual(self_attention(shape, s), tokens, s.d),
                          {conv1d("c_attn", tokens, s.d, s.d_q + s.d_kv * 2, bias_if(shape.biases.queries)),
                           conv1d("c_proj", tokens, s.d_q, s.d, bias_if(shape.biases.output))});
  attention.tensors = {{"bias", {1, 1, s.P, s.P}, TensorKind::buffer}}; // the causal mask
  Module mlp = unit("mlp", with_residual(hidden_operations(shape, tokens, s.f), tokens, s.d),
                    {conv1d("c_fc", tokens, s.d, s.f, inner), conv1d("c_proj", tokens, s.f, s.d, inner)});
  if (shape.gated) mlp.children.push_back(conv1d("c_gate", tokens, s.d, s.f, inner));
  return layer_of({layer_norm("ln_1", tokens, s.d), attention, layer_norm("ln_2", tokens, s.d), mlp});
}

} // namespace

Module gpt2(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  Module root = group("", {embedding("wte", tokens, s.src_vocab, s.d)});
  append_if_any(root.children, position_table("wpe", shape, tokens, s.P, s.d));
  append(root.children, repeated(gpt2_layer(shape, s), "h", shape.layers));
  append(root.children,
         {layer_norm("ln_f", tokens, s.d), head("lm_head", shape, tokens, s.d, s.src_vocab, "wte.weight")});
  return root;
}

// OPTForCausalLM; Zhang et al. 2022.

namespace {

Module opt_norm(const std::string& name, const ModelShape& shape, const Figure& tokens, const Figure& d) {
  Module module = layer_norm(name, tokens, d);
  if (!shape.norm_parameters) module.tensors.clear();
  return module;
}

Module opt_layer(const ModelShape& shape, const Sizes& s) {
  const Figure tokens = s.B * s.n;
  Module layer =
      layer_of({unit("self_attn", with_residual(self_attention(shape, s), tokens, s.d),
                     projections({"q_proj", "k_proj", "v_proj", "out_proj"}, shape, s, tokens, tokens)),
                opt_norm("self_attn_layer_norm", shape, tokens, s.d)});
  layer.operations = with_residual(hidden_operations(shape, tokens, s.f), tokens, s.d);
  append(layer.children, widening("gate", "fc1", shape, s, tokens));
  append(layer.children, {linear("fc2", tokens, s.f, s.d, bias_if(shape.biases.feed_forward)),
                          opt_norm("final_layer_norm", shape, tokens, s.d)});
  return layer;
}

} // namespace

Module opt(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  Module decoder = group("decoder", {embedding("embed_tokens", tokens, s.src_vocab, s.d_e)});
  const Figure rows = s.P + 2; // the library looks positions up from row 2 on
  append_if_any(decoder.children, position_table("embed_positions", shape, tokens, rows, s.d));
  if (!(s.d_e == s.d))
    append(decoder.children, {linear("project_out", tokens, s.d, s.d_e, Bias::no),
                              linear("project_in", tokens, s.d_e, s.d, Bias::no)});
  if (shape.final_norm) decoder.children.push_back(opt_norm("final_layer_norm", shape, tokens, s.d));
  append(decoder.children, repeated(opt_layer(shape, s), "layers", shape.layers));
  return group("", {group("model", {decoder}),
                    head("lm_head", shape, tokens, s.d_e, s.src_vocab, "model.decoder.embed_tokens.weight")});
}

// GPTNeoXForCausalLM; Black et al. 2022. Both sublayers read one input, which changes no count.

namespace {

Module gpt_neox_layer(const ModelShape& shape, const Sizes& s) {
  const Figure tokens = s.B * s.n;
  return layer_of(
      {layer_norm("input_layernorm", tokens, s.d), layer_norm("post_attention_layernorm", tokens, s.d),
       unit("attention", with_residual(self_attention(shape, s), tokens, s.d),
            {linear("query_key_value", tokens, s.d, s.d_q + s.d_kv * 2, bias_if(shape.biases.queries)),
             linear("dense", tokens, s.d_q, s.d, bias_if(shape.biases.output))}),
       feed_forward("mlp", {"dense_gate", "dense_h_to_4h", "dense_4h_to_h"}, shape, s, tokens)});
}

} // namespace

Module gpt_neox(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  return decoder_alone("gpt_neox", embedding("embed_in", tokens, s.src_vocab, s.d), gpt_neox_layer(shape, s),
                       layer_norm("final_layer_norm", tokens, s.d), "embed_out", shape, s);
}

// LlamaForCausalLM: RMSNorm, SwiGLU, rotary positions; Touvron et al. 2023. MistralForCausalLM,
// Qwen2ForCausalLM and GemmaForCausalLM have its names.

namespace {

Module llama_layer(const ModelShape& shape, const Sizes& s) {
  const Figure tokens = s.B * s.n;
  return layer_of({unit("self_attn", with_residual(self_attention(shape, s), tokens, s.d),
                        projections({"q_proj", "k_proj", "v_proj", "o_proj"}, shape, s, tokens, tokens)),
                   feed_forward("mlp", {"gate_proj", "up_proj", "down_proj"}, shape, s, tokens),
                   rms_norm("input_layernorm", tokens, s.d),
                   rms_norm("post_attention_layernorm", tokens, s.d)});
}

} // namespace

Module llama(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  Module table = embedding("embed_tokens", tokens, s.src_vocab, s.d);
  if (shape.scaled_embeddings) table.operations[0].other = tokens * s.d; // times √d_model
  return decoder_alone("model", table, llama_layer(shape, s), rms_norm("norm", tokens, s.d), "lm_head", shape,
                       s);
}

// PhiForCausalLM: one norm for both sublayers, and a bias before the softmax; Gunasekar et al. 2023.

namespace {

Module phi_layer(const ModelShape& shape, const Sizes& s) {
  const Figure tokens = s.B * s.n, width = shape.width_of_head();
  Module attention = unit("self_attn", with_residual(self_attention(shape, s), tokens, s.d),
                          projections({"q_proj", "k_proj", "v_proj", "dense"}, shape, s, tokens, tokens));
  if (shape.norm_on_heads)
    append(attention.children, {layer_norm("q_layernorm", tokens * shape.heads, width),
                                layer_norm("k_layernorm", tokens * shape.key_heads(), width)});
  return layer_of({attention, feed_forward("mlp", {"gate", "fc1", "fc2"}, shape, s, tokens),
                   layer_norm("input_layernorm", tokens, s.d)});
}

} // namespace

Module phi(const ModelShape& shape) {
  const Sizes s(shape);
  const Figure tokens = s.B * s.n;
  return decoder_alone("model", embedding("embed_tokens", tokens, s.src_vocab, s.d), phi_layer(shape, s),
                       layer_norm("final_layernorm", tokens, s.d), "lm_head", shape, s);
}

// T5ForConditionalGeneration; Raffel et al. 2020. The first layer of each stack holds the numbers that all
// its layers add to their scores, where others divide by √d_k: as many FLOP.

namespace {

struct T5Attention {
  const char* name;
  Figure queries, keys;
};

void add_t5_attention(Module& block, int place, const T5Attention& one, const ModelShape& shape,
                      const Sizes& s) {
  const std::string layer = "layer." + std::to_string(place) + ".";
  const Figure reading = s.B * one.queries, read = s.B * one.keys;
  block.children.push_back(
      unit(layer + one.name,
           with_residual(attention_products({s.B, s.h, one.queries, one.keys, s.d_q}), reading, s.d),
           projections({"q", "k", "v", "o"}, shape, s, reading, read)));
  block.children.push_back(rms_norm(layer + "layer_norm", reading, s.d));
}

Module t5_stack(const std::string& name, std::uint64_t layers, const std::vector<T5Attention>& attentions,
                const ModelShape& shape, const Sizes& s) {
  const Figure tokens = s.B * attentions[0].queries;
  Module block = layer_of({});
  int place = 0;
  for (const T5Attention& one : attentions) add_t5_attention(block, place++, one, shape, s);
  const std::string last = "layer." + std::to_string(place) + ".";
  const Module dense =
      feed_forward(last + "DenseReluDense", {"wi_0", shape.gated ? "wi_1" : "wi", "wo"}, shape, s, tokens);
  append(block.children, {dense, rms_norm(last + "layer_norm", tokens, s.d)});
  std::vector<Module> blocks = repeated(block, "block", layers);
  blocks[0].children[0].children.push_back(embedding("relative_attention_bias", 0, shape.buckets, s.h));
  Module table = embedding("embed_tokens", tokens, s.src_vocab, s.d);
  table.tensors[0].tied_to = "shared.weight";
  Module stack = group(name, {table});
  append(stack.children, std::move(blocks));
  stack.children.push_back(rms_norm("final_layer_norm", tokens, s.d));
  return stack;
}

} // namespace

Module t5(const ModelShape& shape) {
  const Sizes s(shape);
  Module generator = head("lm_head", shape, s.B * s.m, s.d, s.src_vocab, "shared.weight");
  if (shape.tied) generator.operations[0].other += s.B * s.m * s.d; // what goes in, times 1/√d_model
  return group("", {{"shared", ModuleKind::unit, {{"weight", {s.src_vocab, s.d}}}},
                    t5_stack("encoder", shape.layers, {{"SelfAttention", s.n, s.n}}, shape, s),
                    t5_stack("decoder", shape.layers_of_decoder(),
                             {{"SelfAttention", s.m, s.m}, {"EncDecAttention", s.m, s.n}}, shape, s),
                    generator});
}

} // namespace tfx::params
