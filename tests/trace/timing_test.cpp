#include "trace/timing.hpp"

#include "lessons/run.hpp"
#include "ops/ops.hpp"
#include "support/catch.hpp"
#include "trace/trace.hpp"

#include <algorithm>

using namespace tfx;

TEST_CASE("a step is timed three times when warm, as long as there are seconds to spare", "[trace][timing]") {
  const Tensor x({4, 4}, std::vector<double>(16, 1));
  const Operation product = op::matmul("X", "X");
  double spare = 1;
  const TimedTensor many = timed({product, {&x, &x}}, spare);
  CHECK(many.runs >= 3);
  CHECK(spare < 1);
  CHECK(spare > 0);
  CHECK(many.value.data[0] == 4);
  spare = 0;
  const TimedTensor one = timed({product, {&x, &x}}, spare);
  CHECK(one.runs == 1);
  CHECK(one.seconds > 0);
  CHECK(spare == 0);
}

TEST_CASE("a long step of a run is timed when warm too", "[trace][timing]") {
  Trace trace;
  trace.purpose = RunFor::times;
  const arma::mat X(200, 200, arma::fill::randn); // some tenths of a ms, on a busy machine too
  trace.add_input("X", "given", to_tensor(X), {});
  trace.add("XX", op::matmul("X", "X"), Role::result);
  CHECK(trace.step_named("XX").timed_runs >= 3);
}

TEST_CASE("a run brings what it is read for: numbers, central differences, times", "[trace][timing]") {
  const auto run = [](RunFor purpose) { return run_lesson(find_lesson("loss"), {}, purpose).trace; };
  const auto most_runs = [](const Trace& trace) {
    return std::ranges::max(trace.steps, {}, &Step::timed_runs).timed_runs;
  };
  const Trace values = run(RunFor::values), proof = run(RunFor::proof), times = run(RunFor::times);
  CHECK(values.gradients.empty());
  CHECK(!proof.gradients.empty());
  CHECK(times.gradients.size() == proof.gradients.size());
  CHECK(most_runs(values) == 1);
  CHECK(most_runs(proof) == 1);
  CHECK(most_runs(times) >= 3);
  REQUIRE(values.steps.size() == proof.steps.size());
  for (std::size_t i = 0; i < proof.steps.size(); ++i)
    CHECK(values.steps[i].value.data == proof.steps[i].value.data);
  InputOptions asked;
  asked.grad = true;
  CHECK(run_lesson(find_lesson("loss"), asked, RunFor::values).trace.steps.size() == values.steps.size());
}
