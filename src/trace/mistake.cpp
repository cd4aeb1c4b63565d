#include "trace/mistake.hpp"

#include "core/error.hpp"

#include <utility>

namespace tfx {

Step computed_instead(const Trace& trace, const Step& right, std::string formula, Operation operation) {
  const Arguments arguments = trace.arguments(operation);
  operation.kind->shape(arguments); // Armadillo's words on what does not fit name no tensor
  Step step = right;
  step.value = compute(arguments);
  step.formula = std::move(formula);
  step.operation = std::move(operation);
  if (step.value.shape != right.value.shape) step.labels.assign(step.value.rank(), {});
  return step;
}

Step valued_instead(const Step& right, std::string formula, Tensor value) {
  if (value.size() != element_count(value.shape))
    throw defect(right.name + ": a mistake with more or fewer numbers than its shape has");
  Step step = right;
  step.value = std::move(value);
  step.formula = std::move(formula);
  step.operation = Operation{};
  if (step.value.shape != right.value.shape) step.labels.assign(step.value.rank(), {});
  return step;
}

Step cells_instead(const Step& right, std::string formula, const std::function<double(std::size_t)>& cell) {
  Tensor value = right.value;
  for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = cell(i);
  return valued_instead(right, std::move(formula), std::move(value));
}

const Tensor& cells_beside(const Trace& trace, const Step& right, std::string_view name) {
  const Step* other = trace.find(std::string(name));
  if (!other)
    throw Error(ErrorKind::bad_data,
                said("{name}: there is no {other}", {{"name", right.name}, {"other", std::string(name)}}));
  if (other->value.shape != right.value.shape)
    throw Error(ErrorKind::bad_data, Message::given(with_shape(other->name, other->value.shape) + ", " +
                                                    with_shape(right.name, right.value.shape)));
  return other->value;
}

std::set<std::string> way_to(std::set<std::string> names, const Trace& trace) {
  for (auto step = trace.steps.rbegin(); step != trace.steps.rend(); ++step)
    if (names.contains(step->name))
      names.insert(step->operation.inputs.begin(), step->operation.inputs.end());
  return names;
}

std::string softmax_input(const Trace& trace) {
  return trace.has("masked") ? "masked" : trace.has("scaled") ? "scaled" : "scores";
}

std::string per_head(const Trace& trace, const std::string& name) {
  return trace.has(name + "_heads") ? name + "_heads" : name;
}

bool has_memory(const Trace& run) {
  const Step* memory = run.find("memory");
  return memory && memory->role != Role::before;
}

} // namespace tfx
