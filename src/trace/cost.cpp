#include "trace/cost.hpp"

#include "trace/trace.hpp"

#include <algorithm>
#include <set>
#include <vector>

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

namespace {

constexpr int rounds = 5;
constexpr double enough = 5e-5;  // seconds a visit: for steps that take less than a clock can see
constexpr double is_long = 2e-3; // seconds: for these it counts no more what other steps left in the caches

double formula_seconds(const Arguments& arguments) {
  const double carried = carrying_seconds();
  const Stopwatch watch;
  compute(arguments);
  return std::max(0.0, watch.seconds() - (carrying_seconds() - carried));
}

struct TimedStep {
  Step& step;
  Arguments arguments;
  std::vector<double> runs;

  bool takes_long() const { return step.first_seconds > is_long; }

  double needed_seconds() const {
    const double visit = takes_long() ? step.first_seconds : std::max(2 * step.first_seconds, enough);
    return step.first_seconds + rounds * visit;
  }

  void warm_up() const { compute(arguments); }

  void visit() {
    if (!takes_long()) warm_up();
    const Stopwatch spent;
    do runs.push_back(formula_seconds(arguments));
    while (spent.seconds() < enough);
  }
};

} // namespace

void time_steps(Trace& trace, double spare_seconds) {
  std::vector<TimedStep> timed;
  for (Step& step : trace.steps) {
    if (step.operation.is(op::given)) continue;
    TimedStep one{step, trace.arguments(step.operation), {}};
    if (one.needed_seconds() > spare_seconds) continue;
    spare_seconds -= one.needed_seconds();
    timed.push_back(std::move(one));
  }
  for (const TimedStep& one : timed) one.warm_up();
  for (int round = 0; round < rounds; ++round)
    for (TimedStep& one : timed) one.visit();
  for (TimedStep& one : timed) one.step.timing = timing_of(std::move(one.runs));
}

} // namespace tfx
