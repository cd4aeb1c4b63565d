#include "lessons/run.hpp"
#include "ops/ops.hpp"
#include "support/catch.hpp"
#include "trace/cost.hpp"
#include "trace/trace.hpp"

#include <algorithm>

using namespace tfx;

namespace {

Trace product_of(std::size_t n, const std::vector<std::string>& names) {
  Trace trace;
  trace.add_input("X", "given", to_tensor(arma::mat(n, n, arma::fill::randn)), {});
  for (const std::string& name : names) trace.add(name, op::matmul("X", "X"), Role::result);
  return trace;
}

} // namespace

TEST_CASE("steps are timed warm, several times, as long as there are seconds to spare", "[trace][timing]") {
  Trace trace = product_of(4, {"A", "B"});
  CHECK_FALSE(trace.step_named("A").timing);
  time_steps(trace, 1);
  CHECK_FALSE(trace.step_named("X").timing);
  for (const char* name : {"A", "B"}) {
    const Timing timing = trace.step_named(name).timing.value();
    CHECK(timing.runs >= 5);
    CHECK(timing.q1 > 0);
    CHECK(timing.q1 <= timing.median);
    CHECK(timing.median <= timing.q3);
  }
  const Cost both = total_cost(trace);
  CHECK(both.timing.value().median ==
        Approx(trace.step_named("A").timing->median + trace.step_named("B").timing->median));
}

TEST_CASE("what does not fit has no time, and the whole of which it is a part has none", "[trace][timing]") {
  Trace trace = product_of(4, {"A", "B", "C"});
  for (Step& step : trace.steps) step.first_seconds = step.name == "B" ? 0.07 : 1e-6;
  time_steps(trace, 0.4);
  CHECK(trace.step_named("A").timing);
  CHECK_FALSE(trace.step_named("B").timing); // a warm-up and five runs
  CHECK(trace.step_named("C").timing);
  CHECK_FALSE(total_cost(trace).timing);
  CHECK_FALSE(lesson_cost(trace).timing);
}

TEST_CASE("runs whose quartiles differ by more than two are unsteady", "[trace][timing]") {
  CHECK_FALSE(timing_of({1, 1, 1, 1, 96}).unsteady());
  CHECK_FALSE(timing_of({1, 1, 1.5, 2, 2}).unsteady());
  CHECK(timing_of({1, 1, 1.5, 2.1, 2.1}).unsteady());
  Timing both = timing_of({1, 1, 1});
  both += timing_of({2, 2, 9, 9});
  CHECK(both.median == 6.5);
  CHECK(both.runs == 3);
  CHECK(both.unsteady());
}

TEST_CASE("a run brings what it is read for: numbers, central differences, times", "[trace][timing]") {
  const auto run = [](RunFor purpose) { return run_lesson(find_lesson("loss"), {}, purpose).trace; };
  const auto timed_steps = [](const Trace& trace) {
    return std::ranges::count_if(trace.steps, [](const Step& step) { return step.timing.has_value(); });
  };
  const Trace values = run(RunFor::values), proof = run(RunFor::proof), times = run(RunFor::times);
  CHECK(values.gradients.empty());
  CHECK(!proof.gradients.empty());
  CHECK(times.gradients.size() == proof.gradients.size());
  CHECK(timed_steps(values) == 0);
  CHECK(timed_steps(proof) == 0);
  CHECK(timed_steps(times) > 3);
  REQUIRE(values.steps.size() == proof.steps.size());
  for (std::size_t i = 0; i < proof.steps.size(); ++i)
    CHECK(values.steps[i].value.data == proof.steps[i].value.data);
  InputOptions asked;
  asked.grad = true;
  CHECK(run_lesson(find_lesson("loss"), asked, RunFor::values).trace.steps.size() == values.steps.size());
}
