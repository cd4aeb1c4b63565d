#include "model/model_spec.hpp"

#include "core/error.hpp"
#include "text/names.hpp"

namespace tfx {

void choose_gpt2_parts(ModelSpec& spec) {
  spec.stacks = Stacks::decoder, spec.norm.rule = Norm::layer, spec.activation = Activation::gelu_tanh;
  spec.positions = Positions::learned, spec.scaled_embedding = false;
}

void require_valid(const ModelSpec& spec) {
  const auto require = [](std::size_t size, const Message& name) {
    if (size == 0)
      throw Error(ErrorKind::bad_data, said("a model with {name} 0 computes nothing", {{"name", name}}),
                  said("give a size of at least 1"));
  };
  require(spec.layers, Message::given("layers"));
  require(spec.d_model, Message::given("d_model"));
  if (spec.has_encoder()) require(spec.src_vocab, said("source vocabulary"));
  if (spec.has_decoder()) require(spec.tgt_vocab, said("target vocabulary"));
  require(spec.max_len, Message::given("max_len"));
  require(spec.heads, Message::given("heads"));
  if (spec.head_width == 0 && spec.d_model % spec.heads != 0)
    throw Error(
        ErrorKind::bad_data,
        said("{heads} heads do not divide d_model {width}", {{"heads", spec.heads}, {"width", spec.d_model}}),
        said("the width of a head is d_model / heads, a whole number"));
  if (spec.heads % spec.key_heads() != 0)
    throw Error(ErrorKind::bad_data,
                said("{heads} heads cannot share {kv_heads} heads of keys and values evenly",
                     {{"heads", spec.heads}, {"kv_heads", spec.key_heads()}}),
                said("each head of keys and values is read by equally many heads of queries"));
  if (spec.positions == Positions::rotary && spec.width_of_head() % 2 != 0)
    throw Error(ErrorKind::bad_data,
                said("rotary positions turn pairs, and a head has {width} numbers",
                     {{"width", spec.width_of_head()}}),
                said("the width of a head is d_model / heads; it must be even"));
  if (spec.positions == Positions::relative)
    throw Error(ErrorKind::bad_data, said("T5's relative positions are counted here, not computed"),
                said("give none, sinusoidal, learned or rotary"));
}

namespace {

ModelPreset with_usual_d_ff(const char* name, std::size_t layers, std::size_t d_model, std::size_t heads) {
  return {name, {layers, d_model, usual_d_ff(d_model), heads}};
}

} // namespace

const std::vector<ModelPreset>& model_presets() {
  static const std::vector<ModelPreset> all{
      with_usual_d_ff("toy", 2, 8, 2),         with_usual_d_ff("tiny", 2, 64, 4),
      with_usual_d_ff("small", 2, 80, 4),      with_usual_d_ff("base", 2, 512, 8),
      with_usual_d_ff("copy-task", 2, 512, 8), with_usual_d_ff("annotated", 6, 512, 8)};
  return all;
}

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const ModelPreset& one : model_presets()) names.push_back(one.name);
  return names;
}

const Architecture& architecture_of(const std::string& preset) {
  for (const ModelPreset& one : model_presets())
    if (preset == one.name) return one.architecture;
  throw usage(said("there is no preset \"{name}\" of the model", {{"name", preset}}),
              said("there are: {names}", {{"names", join(preset_names())}}));
}

ModelSpec preset(const std::string& name) {
  ModelSpec spec;
  spec.resize(architecture_of(name));
  spec.src_vocab = spec.tgt_vocab = copy_task_vocabulary;
  return spec;
}

} // namespace tfx
