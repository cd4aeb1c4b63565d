#include "trace/trace.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace tfx {

const Step* Trace::find(const std::string& name) const {
  const auto step = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.name == name; });
  return step == steps.end() ? nullptr : &*step;
}

const Experiment* Trace::find_experiment(const std::string& name) const {
  const auto found = std::ranges::find(experiments, name, &Experiment::name);
  return found == experiments.end() ? nullptr : &*found;
}

const Step& Trace::step_named(const std::string& name) const {
  const Step* step = find(name);
  if (!step) throw defect("lesson " + lesson + " asks for " + name + ", which it never computed");
  return *step;
}

const Tensor& Trace::operator[](const std::string& name) const {
  return step_named(name).value;
}

std::pair<Tensor, double> Trace::first_run(const Operation& operation) const {
  const Stopwatch watch;
  Tensor value = compute(arguments(operation));
  return {std::move(value), watch.seconds()};
}

Arguments Trace::arguments(const Operation& operation) const {
  std::vector<const Tensor*> inputs;
  for (const std::string& name : operation.inputs) inputs.push_back(&(*this)[name]);
  return {operation, std::move(inputs)};
}

std::vector<const LabelledTensor*> Trace::inputs_of(const Operation& operation) const {
  std::vector<const LabelledTensor*> inputs;
  for (const std::string& name : operation.inputs) inputs.push_back(&step_named(name));
  return inputs;
}

Computed Trace::computed(const Step& step) const {
  return {step.operation, step, inputs_of(step.operation)};
}

bool Trace::is_of_model(const Step& step) const {
  return step.role == Role::before ||
         std::ranges::any_of(step.operation.inputs, [&](const std::string& name) {
           const Step* input = find(name);
           return input && input->role == Role::before;
         });
}

void Trace::add_input(std::string name, std::string source, Tensor value, Labels labels, Role role) {
  labels.resize(value.rank());
  steps.push_back({{std::move(name), std::move(value), std::move(labels)}, std::move(source), {}, role});
}

const Tensor& Trace::add(std::string name, Operation operation, Role role, std::string formula) {
  assert(!has(name));
  tell_progress(name);
  auto [value, first_seconds] = first_run(operation);
  if (formula.empty()) formula = operation.kind->formula(operation);
  Labels labels = labels_of(operation, inputs_of(operation), value.shape);
  steps.push_back({{std::move(name), std::move(value), std::move(labels)},
                   std::move(formula),
                   std::move(operation),
                   role,
                   first_seconds});
  return steps.back().value;
}

void Trace::relabel(int axis, std::vector<std::string> labels) {
  Labels& all = steps.back().labels;
  const auto position =
      axis < 0 ? all.size() - static_cast<std::size_t>(-axis) : static_cast<std::size_t>(axis);
  assert(position < all.size() && (labels.empty() || labels.size() == steps.back().value.shape[position]));
  all[position] = std::move(labels);
}

std::vector<std::string> numbered(const std::string& letter, std::size_t n) {
  std::vector<std::string> names;
  for (std::size_t i = 1; i <= n; ++i) names.push_back(letter + std::to_string(i));
  return names;
}

std::string row_label(const Trace& trace, const std::string& name, std::size_t i) {
  const Step* step = trace.find(name);
  if (!step || step->labels.size() < 2 || step->labels[step->labels.size() - 2].empty())
    return std::to_string(i);
  return step->labels[step->labels.size() - 2][i];
}

bool named_once(const Trace& trace, const std::string& name, std::size_t i) {
  const auto rows = trace[name].shape[trace[name].rank() - 2];
  const std::string label = row_label(trace, name, i);
  for (std::size_t other = 0; other < rows; ++other)
    if (other != i && row_label(trace, name, other) == label) return false;
  return true;
}

Rerun::Rerun(const Trace& trace, const std::map<std::string, Replacement>& instead, const std::string& until)
    : trace_(trace) {
  bool ended = false;
  for (const Step& step : trace.steps) {
    if (std::exchange(ended, step.name == until)) break;
    const auto& inputs = step.operation.inputs;
    const bool follows =
        std::ranges::any_of(inputs, [&](const std::string& name) { return changed_.contains(name); });
    const auto replacement = instead.find(step.name);
    if (!follows && replacement == instead.end()) continue;
    Tensor value;
    if (follows) {
      std::vector<const Tensor*> read;
      for (const std::string& name : inputs) read.push_back(&(*this)[name]);
      value = compute(Arguments(step.operation, std::move(read)));
    } else {
      value = step.value;
    }
    changed_.emplace(step.name, replacement == instead.end() ? std::move(value) : replacement->second(value));
  }
}

const Tensor& Rerun::operator[](const std::string& name) const {
  const auto found = changed_.find(name);
  return found == changed_.end() ? trace_[name] : found->second;
}

} // namespace tfx
