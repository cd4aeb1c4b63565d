#include "model/presets.hpp"

#include "core/error.hpp"

namespace tfx {

namespace {

struct ModelPreset {
  const char* name;
  std::size_t layers, d_model, d_ff, heads;
};

constexpr ModelPreset presets[] = {
    {"annotated", 6, 512, 2048, 8}, {"copy-task", 2, 512, 2048, 8}, {"tiny", 2, 8, 32, 2}};
constexpr std::size_t copy_task_vocabulary = 11;

} // namespace

std::vector<std::string> preset_names() {
  std::vector<std::string> names;
  for (const ModelPreset& one : presets) names.emplace_back(one.name);
  return names;
}

Config preset(const std::string& name) {
  std::string list;
  for (const ModelPreset& one : presets) {
    if (name == one.name) {
      Config config;
      config.layers = one.layers, config.d_model = one.d_model, config.d_ff = one.d_ff;
      config.style.heads = one.heads;
      config.src_vocab = config.tgt_vocab = copy_task_vocabulary;
      return config;
    }
    list += (list.empty() ? "" : ", ") + std::string(one.name);
  }
  throw Error(ErrorKind::usage, "there is no preset \"" + name + "\" of the model", "there are: " + list);
}

} // namespace tfx
