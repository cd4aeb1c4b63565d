#include "cli/train/screen.hpp"

#include "model/counts.hpp"
#include "render/json.hpp"

namespace tfx {

std::string training_json(const TrainingState& state, const TrainingResult& result, bool with_time) {
  JsonWriter json;
  begin_command(json, "train");
  json.key("task"), json.value(state.config.task);
  json.key("recipe"), json.begin_object();
  for (const auto& [name, value] : metadata_of(state.config)) json.key(name.substr(6)), json.value(value);
  json.end_object();
  json.key("shape"), json.begin_object();
  const Config& config = state.model.config;
  json.key("layers"), json.value(config.layers);
  json.key("d_model"), json.value(config.d_model);
  json.key("d_ff"), json.value(config.d_ff);
  json.key("heads"), json.value(config.heads);
  json.key("src_vocab"), json.value(config.src_vocab);
  json.key("tgt_vocab"), json.value(config.tgt_vocab);
  json.end_object();
  json.key("step"), json.value(static_cast<std::size_t>(state.step));
  json.key("losses"), json.value(state.losses);
  json.key("accuracies"), json.begin_array();
  for (const Accuracy& one : state.accuracies) {
    json.begin_object();
    json.key("step"), json.value(static_cast<std::size_t>(one.step));
    json.key("right"), json.value(one.right);
    json.key("of"), json.value(one.of);
    if (one.loss) json.key("loss"), json.value(*one.loss);
    if (one.bleu) json.key("bleu"), json.value(*one.bleu);
    if (one.chrf) json.key("chrf"), json.value(*one.chrf);
    json.end_object();
  }
  json.end_array();
  write_checks(json, result.trace);
  json.key("cost"), json.begin_object();
  write_cost(json, *result.trace.measured, with_time);
  json.end_object();
  if (with_time) {
    json.key("step_seconds"), json.begin_object();
    for (const PartTime& one : result.times) {
      json.key(one.part), json.begin_object();
      json.key("forward"), json.value(one.forward);
      json.key("backward"), json.value(one.backward);
      json.end_object();
    }
    json.end_object();
  }
  json.end_object();
  return json.take();
}

} // namespace tfx
