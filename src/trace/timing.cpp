#include "trace/timing.hpp"

#include "trace/trace.hpp"

#include <algorithm>
#include <vector>

namespace tfx {

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
