#include "cli/train/json.hpp"

#include "io/json_writer.hpp"
#include "model/parameters.hpp"

namespace tfx {

std::string training_json(const TrainingState& state, const Trace& trace, bool with_time) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version"), json.value(std::size_t{1});
  json.key("command"), json.value("train");
  json.key("task"), json.value(state.config.task);
  json.key("recipe"), json.begin_object();
  for (const auto& [name, value] : metadata_of(state.config)) json.key(name.substr(6)), json.value(value);
  json.end_object();
  json.key("shape"), json.begin_object();
  const Config& config = state.model.config;
  json.key("layers"), json.value(config.layers);
  json.key("d_model"), json.value(config.d_model);
  json.key("d_ff"), json.value(config.d_ff);
  json.key("heads"), json.value(config.style.heads);
  json.key("src_vocab"), json.value(config.src_vocab);
  json.key("tgt_vocab"), json.value(config.tgt_vocab);
  json.end_object();
  json.key("step"), json.value(static_cast<std::size_t>(state.step));
  json.key("losses"), json.begin_array();
  for (const double loss : state.losses) json.value(loss);
  json.end_array();
  json.key("accuracies"), json.begin_array();
  for (const Accuracy& one : state.accuracies) {
    json.begin_object();
    json.key("step"), json.value(static_cast<std::size_t>(one.step));
    json.key("right"), json.value(one.right);
    json.key("of"), json.value(one.of);
    json.end_object();
  }
  json.end_array();
  json.key("checks"), json.begin_array();
  for (const Check& check : trace.checks) {
    json.begin_object();
    json.key("name"), json.value(check.id);
    json.key("pass"), json.value(check.pass);
    json.key("value"), json.value(check.value);
    json.end_object();
  }
  json.end_array();
  json.key("cost"), json.begin_object();
  json.key("params"), json.value(trace.measured->parameters);
  json.key("macs"), json.value(trace.measured->macs);
  json.key("flops"), json.value(trace.measured->flops);
  if (with_time) json.key("seconds"), json.value(trace.measured->seconds);
  json.end_object();
  json.end_object();
  return json.take();
}

} // namespace tfx
