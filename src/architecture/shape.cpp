#include "architecture/shape.hpp"

#include "core/error.hpp"
#include "model/model_spec.hpp"

namespace tfx::params {

namespace {

Figure named(const char* symbol, std::uint64_t size) {
  return size == 1 ? Figure(1) : Figure(symbol, size);
}

std::size_t llama_d_ff(std::size_t d_model) {
  constexpr std::size_t multiple = 256;
  return (2 * usual_d_ff(d_model) / 3 + multiple - 1) / multiple * multiple;
}

} // namespace

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
      m(s.tgt_seq == s.seq ? n : named("m", s.tgt_seq)) {}

Module blueprint(const ModelShape& shape) {
  switch (shape.family) {
  case Family::attention_block: return attention_block(shape);
  case Family::encoder_decoder: return encoder_decoder(shape);
  case Family::bert: return bert(shape);
  case Family::gpt2: return gpt2(shape);
  case Family::llama: return llama(shape);
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

} // namespace tfx::params
