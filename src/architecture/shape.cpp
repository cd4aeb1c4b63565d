#include "architecture/shape.hpp"

#include "core/error.hpp"
#include "model/model_spec.hpp"

#include <algorithm>

namespace tfx::params {

namespace {

Figure named(const char* symbol, std::uint64_t size) {
  return size == 1 ? Figure(1) : Figure(symbol, size);
}

/// The other's name where it is as large.
Figure named_unless(const char* symbol, std::uint64_t size, const Figure& other) {
  return size == other.value() ? other : named(symbol, size);
}

std::size_t llama_d_ff(std::size_t d_model) {
  constexpr std::size_t multiple = 256;
  return (2 * usual_d_ff(d_model) / 3 + multiple - 1) / multiple * multiple;
}

struct FamilyRow {
  Family family;
  Positions positions;
  Biases biases;
  std::uint64_t activation;
  bool gated, tied;
};

constexpr Biases everywhere{true, true, true, true}, within_layers{true, true, true, false},
    nowhere{false, false, false, false};

constexpr FamilyRow family_rows[] = {
    {Family::attention_block, Positions::learned, nowhere, relu_steps, false, false},
    {Family::encoder_decoder, Positions::sinusoidal, everywhere, relu_steps, false, false},
    {Family::torch_encoder, Positions::none, everywhere, relu_steps, false, false},
    {Family::bert, Positions::learned, within_layers, gelu_with_erf, false, false},
    {Family::roberta, Positions::learned, within_layers, gelu_with_erf, false, false},
    {Family::gpt2, Positions::learned, within_layers, gelu_with_tanh, false, true},
    {Family::opt, Positions::learned, within_layers, relu_steps, false, true},
    {Family::gpt_neox, Positions::rotary, within_layers, gelu_with_erf, false, false},
    {Family::llama, Positions::rotary, nowhere, silu_steps, true, false},
    {Family::phi, Positions::rotary, everywhere, gelu_with_tanh, false, false},
    {Family::t5, Positions::relative, nowhere, relu_steps, false, true},
    {Family::resnet18, Positions::none, nowhere, relu_steps, false, false}};

} // namespace

ModelShape usual_shape(Family family) {
  const auto* row = std::ranges::find(family_rows, family, &FamilyRow::family);
  ModelShape shape;
  shape.family = family, shape.positions = row->positions, shape.biases = row->biases;
  shape.activation = row->activation, shape.gated = row->gated, shape.tied = row->tied;
  return shape;
}

bool has_two_stacks(Family family) {
  return family == Family::encoder_decoder || family == Family::t5;
}

ModelShape shape_of(const ModelSpec& spec) {
  ModelShape shape{spec.sizes()};
  shape.src_vocab = spec.src_vocab, shape.tgt_vocab = spec.tgt_vocab, shape.context = spec.max_len;
  return shape;
}

ModelSpec spec_of(const ModelShape& shape) {
  ModelSpec spec;
  spec.resize(shape);
  spec.src_vocab = shape.src_vocab, spec.tgt_vocab = shape.tgt_vocab, spec.max_len = shape.context;
  return spec;
}

DffRule d_ff_rule(Family family) {
  return family == Family::llama ? llama_d_ff : usual_d_ff;
}

Sizes::Sizes(const ModelShape& s)
    : d(named("d", s.d_model)),
      f(named("f", s.d_ff)),
      h(named("h", s.heads)),
      src_vocab(named(s.one_vocabulary() ? "V" : "S", s.src_vocab)),
      tgt_vocab(named(s.one_vocabulary() ? "V" : "T", s.tgt_vocab)),
      P(named("P", s.context)),
      B(named("B", s.batch)),
      n(named("n", s.seq)),
      m(s.tgt_seq == s.seq ? n : named("m", s.tgt_seq)),
      d_q(named_unless("d_q", s.heads * s.width_of_head(), d)),
      d_kv(named_unless("d_kv", s.key_heads() * s.width_of_head(), d_q)),
      d_e(named_unless("d_e", s.embedding_width ? s.embedding_width : s.d_model, d)) {}

Module blueprint(const ModelShape& shape) {
  switch (shape.family) {
  case Family::attention_block: return attention_block(shape);
  case Family::encoder_decoder: return encoder_decoder(shape);
  case Family::torch_encoder: return torch_encoder(shape);
  case Family::bert:
  case Family::roberta: return bert(shape);
  case Family::gpt2: return gpt2(shape);
  case Family::opt: return opt(shape);
  case Family::gpt_neox: return gpt_neox(shape);
  case Family::llama: return llama(shape);
  case Family::phi: return phi(shape);
  case Family::t5: return t5(shape);
  case Family::resnet18: return resnet18(shape);
  }
  throw defect("a family without a blueprint");
}

std::vector<Module> repeated(const Module& layer, const std::string& stem, std::uint64_t count) {
  std::vector<Module> layers;
  for (std::uint64_t i = 0; i < count; ++i) {
    layers.push_back(layer);
    layers.back().name = stem + "." + std::to_string(i);
    layers.back().kind = ModuleKind::layer;
  }
  return layers;
}

std::optional<KvCache> kv_cache(const ModelShape& shape) {
  constexpr Family writers[] = {Family::encoder_decoder, Family::gpt2, Family::opt, Family::gpt_neox,
                                Family::llama,           Family::phi,  Family::t5};
  if (std::ranges::find(writers, shape.family) == std::end(writers)) return std::nullopt;
  const Sizes s(shape);
  KvCache cache;
  const Figure layers = named("N", shape.layers_of_decoder());
  cache.each = layers * s.d_kv * 2;
  if (has_two_stacks(shape.family))
    cache.tokens = s.n + s.m;
  else
    cache.tokens = shape.window ? std::min(shape.window, shape.context) : shape.context;
  cache.all = s.B * cache.tokens * cache.each;
  cache.without_groups = s.B * cache.tokens * layers * s.d_q * 2;
  return cache;
}

} // namespace tfx::params
