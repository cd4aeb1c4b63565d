#include "model/presets.hpp"

#include "core/error.hpp"
#include "text/join.hpp"

namespace tfx {

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

Config preset(const std::string& name) {
  Config config{architecture_of(name)};
  config.src_vocab = config.tgt_vocab = copy_task_vocabulary;
  return config;
}

} // namespace tfx
