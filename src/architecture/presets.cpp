#include "architecture/presets.hpp"

namespace tfx::params {

namespace {

ModelShape translator(std::uint64_t layers, std::uint64_t vocab, std::uint64_t tokens) {
  return {Family::encoder_decoder, layers, 512, 2048, 8, vocab, vocab, 5000, 1, tokens, tokens};
}

/// Vaswani et al. 2017, table 3; "about 37000 tokens" of both languages share one table with the generator.
ModelShape paper(std::uint64_t d_model, std::uint64_t heads) {
  ModelShape shape{Family::encoder_decoder, 6, d_model, 4 * d_model, heads, 37000, 37000, 5000, 1, 128, 128};
  shape.tied = shape.paper_style = true;
  return shape;
}

ModelShape one_stack(Family family, std::uint64_t layers, std::uint64_t d_model, std::uint64_t d_ff,
                     std::uint64_t heads, std::uint64_t vocab, std::uint64_t context) {
  return {family, layers, d_model, d_ff, heads, vocab, vocab, context, 1, 128, 128, family == Family::gpt2};
}

ModelShape bert_shape(std::uint64_t layers, std::uint64_t d_model, std::uint64_t heads) {
  return one_stack(Family::bert, layers, d_model, 4 * d_model, heads, 30522, 512);
}

ModelShape gpt2_shape(std::uint64_t layers, std::uint64_t d_model, std::uint64_t heads) {
  return one_stack(Family::gpt2, layers, d_model, 4 * d_model, heads, 50257, 1024);
}

} // namespace

const std::vector<Preset>& presets() {
  constexpr const char *transformers = "Hugging Face transformers, num_parameters()",
                       *vaswani = "Vaswani et al. 2017, table 3";
  static const std::vector<Preset> all{
      {"attention-block", one_stack(Family::attention_block, 1, 256, 256, 4, 10000, 512), 2'953'216, false,
       "attention-block, count_parameters()"},
      {"annotated", translator(6, 10000, 128), 0, false, ""},
      {"copy-task", translator(2, 11, 10), 0, false, ""},
      {"transformer-base", paper(512, 8), 65'000'000, true, vaswani},
      {"transformer-big", paper(1024, 16), 213'000'000, true, vaswani},
      {"bert-base", bert_shape(12, 768, 12), 109'482'240, false, transformers},
      {"bert-large", bert_shape(24, 1024, 16), 335'141'888, false, transformers},
      {"gpt2", gpt2_shape(12, 768, 12), 124'439'808, false, transformers},
      {"gpt2-medium", gpt2_shape(24, 1024, 16), 354'823'168, false, transformers},
      {"gpt2-large", gpt2_shape(36, 1280, 20), 774'030'080, false, transformers},
      {"gpt2-xl", gpt2_shape(48, 1600, 25), 1'557'611'200, false, transformers},
      {"llama-7b", one_stack(Family::llama, 32, 4096, 11008, 32, 32000, 2048), 6'738'415'616, false,
       transformers},
      {"resnet18", {Family::resnet18}, 11'689'512, false, "torchvision, ResNet18_Weights"},
  };
  return all;
}

const Preset* find_preset(const std::string& name) {
  for (const Preset& one : presets())
    if (name == one.name) return &one;
  return nullptr;
}

} // namespace tfx::params
