// LlamaForCausalLM of Hugging Face's transformers: RMSNorm, SwiGLU, rotary positions, no biases; Touvron et
// al. 2023.

#include "architecture/shape.hpp"

namespace tfx::params {

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

} // namespace tfx::params
