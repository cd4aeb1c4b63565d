#include "render/json.hpp"

#include "core/memory.hpp"
#include "trace/cost.hpp"

namespace tfx {

namespace {

void write_tutorial(JsonWriter& json, const std::string& run) {
  const auto colon = run.find(':');
  json.key("tutorial");
  if (run.empty()) return json.null();
  json.value(run.substr(0, colon));
  json.key("variant");
  json.value(static_cast<std::size_t>(std::stoul(run.substr(colon + 1))));
}

/// Room for the text of so many numbers. Throws Error(no_memory) before it is taken.
void reserve_cells(JsonWriter& json, double cells) {
  constexpr double worth_asking = 1e6, bytes_a_cell = 22; // 17 digits, sign, point, comma
  if (cells <= worth_asking) return;
  require_memory(bytes_a_cell * cells, said("the JSON of this run"));
  json.reserve(static_cast<std::size_t>(bytes_a_cell * cells)); // a text that grows is held twice
}

void write_head(JsonWriter& json, const Step& step, const std::string& dtype) {
  json.key("name"), json.value(step.name);
  json.key("shape"), json.value(step.value.shape);
  json.key("dtype"), json.value(dtype);
  json.key("formula"), json.value(step.formula);
}

void write_step(JsonWriter& json, const Step& step, const std::string& dtype, bool with_time) {
  json.begin_object();
  write_head(json, step, dtype);
  json.key("how");
  json.begin_object();
  json.key("op"), json.value(step.operation.kind->name);
  json.key("inputs"), json.value(step.operation.inputs);
  json.end_object();
  json.key("labels"), json.value(step.labels);
  if (const auto timing = step.operation.is(op::given) ? Timing{} : step.timing; with_time && timing) {
    json.key("seconds"), json.value(timing->median);
    json.key("timed_runs"), json.value(timing->runs);
    json.key("unsteady"), json.value(timing->unsteady());
  }
  json.key("data"), json.tensor(step.value);
  json.end_object();
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
      json.key("worst"), json.value(one.worst);
      json.key("differences"), json.tensor(one.differences);
    }
    json.end_object();
  }
  json.end_array();
}

void write_cell(JsonWriter& json, const CellRef& cell) {
  json.begin_object();
  json.key("tensor"), json.value(cell.tensor);
  json.key("index"), json.value(cell.index);
  json.key("value"), json.value(cell.value);
  json.end_object();
}

void write_terms(JsonWriter& json, const Explanation& e) {
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
}

} // namespace

void begin_command(JsonWriter& json, std::string_view command, std::size_t version) {
  json.begin_object();
  json.key("schema_version"), json.value(version);
  json.key("command"), json.value(command);
}

std::string end_command(JsonWriter& json) {
  json.end_object();
  return json.take() + "\n";
}

void write_checks(JsonWriter& json, const Trace& trace) {
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
}

void write_cost(JsonWriter& json, const Cost& cost, bool with_time) {
  json.key("params"), json.value(cost.parameters);
  json.key("macs"), json.value(cost.macs);
  json.key("flops"), json.value(cost.flops);
  if (!with_time || !cost.timing) return;
  json.key("seconds"), json.value(cost.timing->median);
  json.key("unsteady"), json.value(cost.timing->unsteady());
}

void write_tensors(JsonWriter& json, const Trace& trace) {
  double cells = 0;
  for (const Step& step : trace.steps) cells += static_cast<double>(step.value.size());
  reserve_cells(json, cells);
  json.key("tensors");
  json.begin_array();
  for (const Step& step : trace.steps) {
    json.begin_object();
    write_head(json, step, trace.dtype);
    json.key("data"), json.tensor(step.value);
    json.end_object();
  }
  json.end_array();
}

std::string render_json(const Trace& trace, const JsonOptions& options) {
  const auto is_wanted = [&](const Step& step) {
    return options.only.empty() || options.only.count(step.name) > 0;
  };
  double cells = 0;
  for (const Step& step : trace.steps)
    if (is_wanted(step)) cells += static_cast<double>(step.value.size());
  JsonWriter json;
  reserve_cells(json, cells);
  begin_command(json, trace.lesson);
  write_tutorial(json, trace.tutorial);
  json.key("tensors");
  json.begin_array();
  for (const Step& step : trace.steps)
    if (is_wanted(step)) write_step(json, step, trace.dtype, options.with_time);
  json.end_array();
  write_checks(json, trace);
  json.key("facts");
  json.begin_object();
  for (const auto& [name, fact] : trace.facts) json.key(name), json.value(fact);
  json.end_object();
  json.key("experiments");
  json.begin_array();
  for (const Experiment& experiment : trace.experiments) {
    json.begin_object();
    json.key("name"), json.value(experiment.name);
    json.key("columns"), json.value(experiment.columns);
    json.key("rows"), json.value(experiment.rows);
    if (!experiment.texts.empty()) json.key("texts"), json.begin_array();
    for (const auto& texts : experiment.texts) json.value(texts);
    if (!experiment.texts.empty()) json.end_array();
    json.key("data"), json.tensor(experiment.values);
    if (!experiment.plots.empty()) json.key("plots"), json.begin_object();
    for (const Plot& plot : experiment.plots) json.key(plot.column), json.value(plot.values);
    if (!experiment.plots.empty()) json.end_object();
    json.end_object();
  }
  json.end_array();
  if (!trace.gradients.empty()) write_gradients(json, trace);
  json.key("numpy"), json.value(trace.numpy);
  json.key("cost");
  json.begin_object();
  write_cost(json, lesson_cost(trace), options.with_time);
  json.key("whole_run");
  json.begin_object();
  write_cost(json, total_cost(trace), options.with_time);
  json.end_object();
  json.end_object();
  return end_command(json);
}

ExplanationJson::ExplanationJson(const std::string& lesson, Write write) : write_(std::move(write)) {
  begin_command(json_, "explain");
  json_.key("lesson"), json_.value(lesson);
}

void ExplanationJson::enter(const Explanation& e) {
  if (!repeated_.empty()) json_.begin_object();
  json_.key("tensor"), json_.value(e.cell.tensor);
  json_.key("index"), json_.value(e.cell.index);
  json_.key("label"), json_.value(e.label);
  json_.key("value"), json_.value(e.cell.value);
  json_.key("formula"), json_.value(e.formula);
  repeated_.push_back(e.repeated);
  if (e.repeated) { // it stands above in full, under this label
    json_.key("repeated"), json_.value(true);
    json_.key("see"), json_.value(e.label);
    return;
  }
  const bool no_sum = e.terms.empty() || e.by_rule;
  json_.key("arithmetic"), json_.value(no_sum ? e.rule : arithmetic(e, e.terms.size(), all_digits));
  json_.key("rule"), json_.value(e.rule);
  write_terms(json_, e);
  json_.key("sources");
  json_.begin_array();
  write_(json_.take_begun());
}

void ExplanationJson::leave() {
  if (!repeated_.back()) json_.end_array();
  repeated_.pop_back();
  if (repeated_.empty())
    write_(end_command(json_));
  else
    json_.end_object();
}

} // namespace tfx
