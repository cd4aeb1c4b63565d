#include "trace/cost.hpp"

#include <set>

namespace tfx {

Cost& Cost::operator+=(const Cost& other) {
  parameters += other.parameters;
  macs += other.macs;
  flops += other.flops;
  if (timing && other.timing)
    *timing += *other.timing;
  else
    timing.reset();
  return *this;
}

Cost cost_of(const Trace& trace, const Step& step) {
  const Work work = step.operation.kind->work(trace.computed(step));
  return {step.role == Role::parameter ? step.value.size() : 0, work.macs, work.flops,
          step.operation.is(op::given) ? Timing{} : step.timing};
}

Cost lesson_cost(const Trace& trace) {
  if (trace.measured) return *trace.measured;
  Cost cost;
  std::set<std::string> counted;
  for (const Step& step : trace.steps) {
    if (step.role != Role::result) continue;
    cost += cost_of(trace, step);
    for (const std::string& name : step.operation.inputs)
      if (const Step* input = trace.find(name);
          input && input->role == Role::parameter && counted.insert(name).second)
        cost.parameters += input->value.size();
  }
  return cost;
}

Cost total_cost(const Trace& trace) {
  if (trace.measured) return *trace.measured;
  Cost cost;
  for (const Step& step : trace.steps) cost += cost_of(trace, step);
  return cost;
}

} // namespace tfx
