#include "architecture/presets.hpp"

#include "model/model_spec.hpp"

namespace tfx::params {

namespace {

/// Vaswani et al. 2017, table 3; "about 37000 tokens" of both languages share one table with the generator.
ModelShape paper(std::size_t d_model, std::size_t heads) {
  ModelShape shape{{6, d_model, usual_d_ff(d_model), heads}};
  shape.src_vocab = shape.tgt_vocab = 37000, shape.context = 5000;
  shape.tied = shape.paper_style = true, shape.biases.generator = false;
  return shape;
}

ModelShape one_stack(Family family, const Architecture& sizes, std::uint64_t vocab, std::uint64_t context) {
  ModelShape shape = usual_shape(family);
  static_cast<Architecture&>(shape) = sizes;
  shape.src_vocab = shape.tgt_vocab = vocab, shape.context = context;
  return shape;
}

ModelShape bert_shape(std::size_t layers, std::size_t d_model, std::size_t heads) {
  return one_stack(Family::bert, {layers, d_model, usual_d_ff(d_model), heads}, 30522, 512);
}

ModelShape gpt2_shape(std::size_t layers, std::size_t d_model, std::size_t heads) {
  return one_stack(Family::gpt2, {layers, d_model, usual_d_ff(d_model), heads}, 50257, 1024);
}

ModelShape llama_shape(std::size_t layers, std::size_t d_model, std::size_t heads) {
  return one_stack(Family::llama, {layers, d_model, d_ff_rule(Family::llama)(d_model), heads}, 32000, 2048);
}

/// Images have none of these sizes.
ModelShape images() {
  ModelShape shape = usual_shape(Family::resnet18);
  static_cast<Architecture&>(shape) = {1, 1, 1, 1};
  shape.seq = shape.tgt_seq = 1;
  return shape;
}

} // namespace

const std::vector<Preset>& presets() {
  constexpr const char *transformers = "Hugging Face transformers, num_parameters()",
                       *vaswani = "Vaswani et al. 2017, table 3";
  static const std::vector<Preset> all = [] {
    std::vector<Preset> list;
    for (const ModelPreset& one : model_presets()) list.push_back({one.name, shape_of(preset(one.name))});
    for (const Preset& published : std::initializer_list<Preset>{
             {"attention-block", one_stack(Family::attention_block, {1, 256, 256, 4}, 10000, 512), 2'953'216,
              false, "attention-block, count_parameters()"},
             {"annotated-listing", one_stack(Family::torch_encoder, {6, 256, 2048, 4}, 1000, 5000), 8'403'432,
              false, "PyTorch, nn.TransformerEncoder"},
             {"transformer-base", paper(512, 8), 65'000'000, true, vaswani},
             {"transformer-big", paper(1024, 16), 213'000'000, true, vaswani},
             {"bert-base", bert_shape(12, 768, 12), 109'482'240, false, transformers},
             {"bert-large", bert_shape(24, 1024, 16), 335'141'888, false, transformers},
             {"gpt2", gpt2_shape(12, 768, 12), 124'439'808, false, transformers},
             {"gpt2-medium", gpt2_shape(24, 1024, 16), 354'823'168, false, transformers},
             {"gpt2-large", gpt2_shape(36, 1280, 20), 774'030'080, false, transformers},
             {"gpt2-xl", gpt2_shape(48, 1600, 25), 1'557'611'200, false, transformers},
             {"llama-7b", llama_shape(32, 4096, 32), 6'738'415'616, false, transformers},
             {"resnet18", images(), 11'689'512, false, "torchvision, ResNet18_Weights"},
         })
      list.push_back(published);
    return list;
  }();
  return all;
}

const Preset* find_preset(const std::string& name) {
  for (const Preset& one : presets())
    if (name == one.name) return &one;
  return nullptr;
}

} // namespace tfx::params
