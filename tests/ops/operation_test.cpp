// An explanation cannot lie: every computed cell of every lesson follows from what its step says about
// itself.

#include "core/error.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/evaluator.hpp"
#include "support/lesson_cases.hpp"
#include "trace/labels.hpp"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>

using namespace tfx;

namespace {

struct Tally {
  std::set<const Op*> operations;
  std::size_t cells = 0;
};

double difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double relative = std::abs(a - b) / std::max(1.0, std::abs(b));
  return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
}

// Of a large tensor every k-th cell.
void check_step(const Trace& trace, const Step& step, Tally& tally) {
  const std::size_t width = step.value.rank() ? step.value.shape.back() : 1; // a cell may need its whole row
  const std::size_t most = 20'000 / (1 + width / 1000);
  const std::size_t stride = step.value.size() / most + 1;
  const bool exact = step.operation.constant_text == "float32";
  double worst = 0;
  Index worst_cell(step.value.rank(), 0);
  for (std::size_t i = 0; i < step.value.size(); i += stride) {
    const Index index = index_of(step.value.shape, i);
    const double off = difference(step.value.data[i], evaluate(trace, step, index));
    if (off > worst) worst = off, worst_cell = index;
    ++tally.cells;
  }
  INFO(cell_name(step, worst_cell) << " by " << step.operation.kind->name << " is off by " << worst);
  CHECK(worst <= (exact ? 0 : 1e-12));
  tally.operations.insert(step.operation.kind);
}

// The record alone gives the step again, to the bit, and its shape before anything is computed.
void check_again(const Trace& trace, const Step& step) {
  const Tensor again = compute(trace.arguments(step.operation));
  CHECK(again.shape == step.value.shape);
  CHECK(std::memcmp(again.data.data(), step.value.data.data(), again.size() * sizeof(double)) == 0);
  std::vector<Shape> shapes;
  for (const std::string& name : step.operation.inputs) shapes.push_back(trace[name].shape);
  CHECK(step.operation.kind->shape(step.operation, shapes) == step.value.shape);
}

void check_case(const LessonCase& one, Tally& tally) {
  INFO(one.name);
  const Trace trace = run_lesson(*one.lesson, one.options).trace;
  for (const Step& step : trace.steps) {
    INFO(step.name);
    const bool is_given = step.role == Role::input || step.role == Role::parameter;
    CHECK(is_given == (step.operation.is(op::given)));
    if (is_given) continue;
    check_step(trace, step, tally);
    check_again(trace, step);
  }
}

} // namespace

TEST_CASE("every cell of every tutorial follows from its recorded operation", "[ops]") {
  const std::vector<LessonCase> cases = tutorial_cases();
  // Six runs fit the first nine lessons, one the six of attention, the dictionary lookup; cross and block
  // have a run each, embed and loss two.
  CHECK(cases.size() == 67);
  Tally tally;
  for (const LessonCase& one : cases) check_case(one, tally);
  CHECK(tally.cells > 250'000);
}

TEST_CASE("every cell of the learner's own runs follows from its recorded operation", "[ops][repeats]") {
  const TemporaryFolder folder;
  Tally tally;
  for (const LessonCase& one : own_cases(folder)) check_case(one, tally);
  CHECK(tally.cells > 100'000);
  for (const Op* operation : all_operations()) {
    if (operation == &op::given) continue;
    INFO(operation->name);
    CHECK(tally.operations.count(operation) == 1);
  }
}

TEST_CASE("every operation says all that is asked of it", "[ops]") {
  // What gradients do not go through: masks, numbers of words and places, choices; and what only they need.
  const std::set<const Op*> without_vjp = {
      &op::given,         &op::causal_mask,      &op::padding_mask,         &op::both,
      &op::one_hot,       &op::angle,            &op::sin_cos,              &op::first_max,
      &op::row_max,       &op::row_norm,         &op::cosine,               &op::distance,
      &op::uniform,       &op::total,            &op::sum_over,             &op::transposed_matmul,
      &op::mask_keep,     &op::scatter,          &op::softmax_gradient,     &op::log_softmax_gradient,
      &op::relu_gradient, &op::entropy_gradient, &op::divisor_gradient,     &op::sqrt_gradient,
      &op::std_gradient,  &op::smoothed_target,  &op::variance_gradient};
  std::set<std::string_view> names;
  for (const Op* operation : all_operations()) {
    INFO(operation->name);
    CHECK(names.insert(operation->name).second);
    CHECK(operation->work != nullptr);
    CHECK((operation->vjp == nullptr) == (without_vjp.count(operation) == 1));
    if (operation == &op::given) continue;
    CHECK(operation->formula != nullptr);
    CHECK(operation->shape != nullptr);
    CHECK(operation->value != nullptr);
    CHECK(operation->explain != nullptr);
    CHECK((operation->rows.input >= 0 || operation->columns.input >= 0 || operation == &op::mean ||
           operation == &op::kl_divergence)); // of those two the result is one number
  }
}

TEST_CASE("shapes that do not fit are refused with both of them", "[ops]") {
  const auto refusal = [](const Operation& operation, const std::vector<Shape>& shapes) {
    try {
      operation.kind->shape(operation, shapes);
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::bad_data);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK(refusal(op::matmul("X", "W"), {{4, 3}, {4, 3}}) == "X (4, 3) · W (4, 3): 3 ≠ 4");
  CHECK(refusal(op::matmul_transposed("Q", "K"), {{4, 3}, {5, 2}}) == "Q (4, 3) · Kᵀ (2, 5): 3 ≠ 2");
  CHECK(refusal(op::transposed_matmul("A", "d"), {{4, 3}, {5, 2}}) == "Aᵀ (3, 4) · d (5, 2): 4 ≠ 5");
  CHECK(refusal(op::mask_fill("scaled", "mask"), {{2, 4, 4}, {4, 3}}) == "scaled (2, 4, 4), mask (4, 3): 4 ≠ 3");
  CHECK(refusal(op::add("A", "B"), {{4, 3}, {2, 3}}) == "cells: shapes (4, 3) and (2, 3) do not fit");
}
