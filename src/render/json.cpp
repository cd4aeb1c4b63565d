#include "render/json.hpp"

#include "io/json_writer.hpp"
#include "trace/cost.hpp"

namespace tfx {

namespace {

void write_shape(JsonWriter& json, const Shape& shape) {
  json.begin_array();
  for (std::size_t extent : shape) json.value(extent);
  json.end_array();
}

void write_strings(JsonWriter& json, const std::vector<std::string>& strings) {
  json.begin_array();
  for (const std::string& text : strings) json.value(text);
  json.end_array();
}

void write_tutorial(JsonWriter& json, const std::string& run) {
  const auto colon = run.find(':');
  json.key("tutorial");
  if (run.empty()) return json.null();
  json.value(run.substr(0, colon));
  json.key("variant");
  json.value(static_cast<std::size_t>(std::stoul(run.substr(colon + 1))));
}

void write_step(JsonWriter& json, const Step& step, const std::string& dtype) {
  json.begin_object();
  json.key("name"), json.value(step.name);
  json.key("shape"), write_shape(json, step.value.shape);
  json.key("dtype"), json.value(dtype);
  json.key("formula"), json.value(step.formula);
  json.key("how");
  json.begin_object();
  json.key("op"), json.value(step.operation.kind->name);
  json.key("inputs"), write_strings(json, step.operation.inputs);
  json.end_object();
  json.key("labels");
  json.begin_array();
  for (const auto& axis : step.labels) write_strings(json, axis);
  json.end_array();
  json.key("data"), json.tensor(step.value);
  json.end_object();
}

void write_cost(JsonWriter& json, const Cost& cost, bool with_time) {
  json.key("params"), json.value(cost.parameters);
  json.key("macs"), json.value(cost.macs);
  json.key("flops"), json.value(cost.flops);
  if (with_time) json.key("seconds"), json.value(cost.seconds);
}

void write_fact(JsonWriter& json, const Fact& fact) {
  if (const auto* number = std::get_if<double>(&fact)) return json.value(*number);
  if (const auto* text = std::get_if<std::string>(&fact)) return json.value(*text);
  if (const auto* lines = std::get_if<std::vector<std::string>>(&fact)) return write_strings(json, *lines);
  json.begin_array();
  for (double number : std::get<std::vector<double>>(fact)) json.value(number);
  json.end_array();
}

void write_gradients(JsonWriter& json, const Trace& trace) {
  json.key("gradients");
  json.begin_array();
  for (const GradientCheck& one : trace.gradients) {
    json.begin_object();
    json.key("name"), json.value(one.gradient);
    json.key("of"), json.value(one.of);
    json.key("tried"), json.value(one.tried);
    json.key("skipped"), json.value(one.skipped);
    json.key("largest"), json.value(one.largest);
    if (one.tried > 0) { // central differences; "NaN" in cells that were not tried
      json.key("worst"), write_shape(json, one.worst);
      json.key("differences"), json.tensor(one.differences);
    }
    json.end_object();
  }
  json.end_array();
}

void write_cell(JsonWriter& json, const CellRef& cell) {
  json.begin_object();
  json.key("tensor"), json.value(cell.tensor);
  json.key("index"), write_shape(json, cell.index);
  json.key("value"), json.value(cell.value);
  json.end_object();
}

void write_explanation(JsonWriter& json, const Explanation& e) {
  constexpr int all_digits = 17;
  json.key("tensor"), json.value(e.cell.tensor);
  json.key("index"), write_shape(json, e.cell.index);
  json.key("label"), json.value(e.label);
  json.key("value"), json.value(e.cell.value);
  json.key("formula"), json.value(e.formula);
  if (e.repeated) { // it stands above in full
    json.key("repeated"), json.value(true);
    return;
  }
  const bool no_sum = e.terms.empty() || e.by_rule;
  json.key("arithmetic"), json.value(no_sum ? e.rule : arithmetic(e, e.terms.size(), all_digits));
  json.key("rule"), json.value(e.rule);
  json.key("terms");
  json.begin_array();
  for (const Term& term : e.terms) {
    json.begin_object();
    json.key("text"), json.value(term.text);
    json.key("value"), json.value(term.value);
    json.key("reads");
    json.begin_array();
    for (const CellRef& read : term.reads) write_cell(json, read);
    json.end_array();
    json.end_object();
  }
  json.end_array();
  json.key("sources");
  json.begin_array();
  for (const Explanation& source : e.sources) {
    json.begin_object();
    write_explanation(json, source);
    json.end_object();
  }
  json.end_array();
}

} // namespace

std::string render_json(const Trace& trace, const JsonOptions& options) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version"), json.value(std::size_t{1});
  json.key("command"), json.value(trace.lesson);
  write_tutorial(json, trace.tutorial);
  json.key("tensors");
  json.begin_array();
  for (const Step& step : trace.steps)
    if (options.only.empty() || options.only.count(step.name)) write_step(json, step, trace.dtype);
  json.end_array();
  json.key("checks");
  json.begin_array();
  for (const Check& check : trace.checks) {
    json.begin_object();
    json.key("name"), json.value(check.id);
    json.key("pass"), json.value(check.pass);
    json.key("value"), json.value(check.value);
    json.end_object();
  }
  json.end_array();
  json.key("facts");
  json.begin_object();
  for (const auto& [name, fact] : trace.facts) json.key(name), write_fact(json, fact);
  json.end_object();
  json.key("experiments");
  json.begin_array();
  for (const Experiment& experiment : trace.experiments) {
    json.begin_object();
    json.key("name"), json.value(experiment.name);
    json.key("columns"), write_strings(json, experiment.columns);
    json.key("rows"), write_strings(json, experiment.rows);
    json.key("data"), json.tensor(experiment.values);
    json.end_object();
  }
  json.end_array();
  if (!trace.gradients.empty()) write_gradients(json, trace);
  json.key("numpy"), write_strings(json, trace.numpy);
  json.key("cost");
  json.begin_object();
  write_cost(json, lesson_cost(trace), options.with_time);
  json.key("whole_run");
  json.begin_object();
  write_cost(json, total_cost(trace), options.with_time);
  json.end_object();
  json.end_object();
  json.end_object();
  return json.take();
}

std::string render_json(const Explanation& explanation, const std::string& lesson) {
  JsonWriter json;
  json.begin_object();
  json.key("schema_version"), json.value(std::size_t{1});
  json.key("command"), json.value("explain");
  json.key("lesson"), json.value(lesson);
  write_explanation(json, explanation);
  json.end_object();
  return json.take();
}

} // namespace tfx
