#include "trace/trace.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"

#include <algorithm>
#include <cassert>

namespace tfx {

const Step* Trace::find(const std::string& name) const {
  const auto step = std::find_if(steps.begin(), steps.end(), [&](const Step& s) { return s.name == name; });
  return step == steps.end() ? nullptr : &*step;
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

} // namespace tfx
