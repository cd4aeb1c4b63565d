// An explanation cannot lie: every computed cell of every lesson follows from what its step says about
// itself.

#include "core/error.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/evaluator.hpp"
#include "support/lesson_cases.hpp"
#include "support/pages_of_parts.hpp"
#include "trace/trace.hpp"

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
  CHECK(step.operation.kind->shape(trace.arguments(step.operation)) == step.value.shape);
}

void check_trace(const Trace& trace, Tally& tally) {
  for (const Step& step : trace.steps) {
    INFO(step.name);
    const bool is_given = step.role == Role::input || step.role == Role::parameter;
    if (step.role != Role::before) CHECK(is_given == step.operation.is(op::given));
    if (step.operation.is(op::given)) continue;
    check_step(trace, step, tally);
    check_again(trace, step);
  }
}

void check_case(const LessonCase& one, Tally& tally) {
  INFO(one.name);
  check_trace(run_lesson(*one.lesson, one.options).trace, tally);
}

} // namespace

TEST_CASE("every cell of every tutorial follows from its recorded operation", "[ops]") {
  const std::vector<LessonCase> cases = tutorial_cases();
  // Six runs fit the first nine lessons, one the six of attention, the dictionary lookup; cross and block
  // have a run each, embed and train two, loss three; decode has the shipped model's step, params make_model,
  // five runs of even width are rope's, modern, induction and lens have one each.
  CHECK(cases.size() == 88);
  Tally tally;
  for (const LessonCase& one : cases) check_case(one, tally);
  CHECK(tally.cells > 250'000);
}

TEST_CASE("every cell of the learner's own runs follows from its recorded operation", "[ops][repeats]") {
  const TemporaryFolder folder;
  Tally tally;
  for (const LessonCase& one : own_cases(folder)) check_case(one, tally);
  for (const Trace& page : pages_of_parts()) check_trace(page, tally);
  CHECK(tally.cells > 100'000);
  for (const Op* operation : all_operations()) {
    if (operation == &op::given) continue;
    INFO(operation->name);
    CHECK(tally.operations.count(operation) == 1);
  }
}

TEST_CASE("every operation says all that is asked of it", "[ops]") {
  // What gradients do not go through: masks, numbers of words and places, choices; and what only they need.
  const std::set<const Op*> without_vjp = {&op::given,
                                           &op::causal_mask,
                                           &op::causal_mask_lower_right,
                                           &op::causal_window,
                                           &op::padding_mask,
                                           &op::both,
                                           &op::one_hot,
                                           &op::angle,
                                           &op::sin_cos,
                                           &op::rotary_angle,
                                           &op::sum_heads,
                                           &op::first_max,
                                           &op::row_max,
                                           &op::row_norm,
                                           &op::cosine,
                                           &op::distance,
                                           &op::uniform,
                                           &op::total,
                                           &op::sum_over,
                                           &op::transposed_matmul,
                                           &op::mask_keep,
                                           &op::scatter,
                                           &op::softmax_gradient,
                                           &op::log_softmax_gradient,
                                           &op::relu_gradient,
                                           &op::gelu_gradient,
                                           &op::silu_gradient,
                                           &op::squared_relu_gradient,
                                           &op::gelu_tanh_gradient,
                                           &op::entropy_gradient,
                                           &op::divisor_gradient,
                                           &op::sqrt_gradient,
                                           &op::std_gradient,
                                           &op::smoothed_target,
                                           &op::variance_gradient,
                                           &op::moving_average,
                                           &op::moving_average_of_squares,
                                           &op::adam_direction,
                                           &op::top_k,
                                           &op::mass_before,
                                           &op::below,
                                           &op::draw,
                                           &op::pair_counts,
                                           &op::most_frequent,
                                           &op::merge_pair,
                                           &op::stacked,
                                           &op::induction_score};
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
    const std::set<const Op*> unnamed = {&op::mean,
                                         &op::kl_divergence,   // of those two the result is one number
                                         &op::induction_score, // and here one a head
                                         &op::pair_counts, &op::most_frequent}; // symbols stand in cells
    CHECK((operation->rows.input >= 0 || operation->columns.input >= 0 || unnamed.contains(operation)));
  }
}

namespace {

struct Misfit {
  const Op& operation;
  std::vector<Shape> inputs; ///< called A, B, C
  std::string message;
  double constant = 0;
};

// What the shape rule says; the result of what is summed onto a shape is to be 2×2.
std::string refusal(const Misfit& misfit) {
  Trace trace;
  std::vector<std::string> names;
  for (const Shape& shape : misfit.inputs) {
    names.emplace_back(1, static_cast<char>('A' + names.size()));
    Tensor value(shape);
    for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = static_cast<double>(i);
    trace.add_input(names.back(), "", std::move(value), Labels(shape.size()));
  }
  const Operation operation = misfit.operation(names).with(misfit.constant).onto({2, 2});
  try {
    misfit.operation.shape(trace.arguments(operation));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_data);
    return error.what();
  }
  return "it fits";
}

} // namespace

TEST_CASE("an operation names the tensors that do not fit, and the extents", "[ops]") {
  const std::vector<Misfit> misfits = {
      {op::matmul, {{2, 3}, {2, 3}}, "A (2, 3) · B (2, 3): 3 ≠ 2"},
      {op::matmul, {{2, 3}, {3, 4}, {3}}, "B (3, 4) + C (3,): 4 ≠ 3"},
      {op::matmul_transposed, {{2, 3}, {2, 4}}, "A (2, 3) · Bᵀ (4, 2): 3 ≠ 4"},
      {op::weighted_sum, {{2, 3}, {2, 3}}, "A (2, 3) · B (2, 3): 3 ≠ 2"},
      {op::transposed_matmul, {{2, 3}, {4, 3}}, "A (2, 3), B (4, 3): 2 ≠ 4"},
      {op::transposed_matmul, {{4, 3}, {4, 3}}, "Aᵀ·B (3, 3), (2, 2): 3 ≠ 2"},
      {op::matmul, {{2, 2, 3}, {3, 3, 4}}, "A (2, 2, 3), B (3, 3, 4): 2 ≠ 3"},
      {op::add, {{2, 3}, {2, 4}}, "A (2, 3), B (2, 4): 3 ≠ 4"},
      {op::multiply, {{2, 3}, {4}}, "A (2, 3), B (4,): 3 ≠ 4"},
      {op::both, {{2, 3}, {2, 3}, {3, 3}}, "A (2, 3), C (3, 3): 2 ≠ 3"},
      {op::divide_by, {{5, 2}}, "A (5, 2), (2, 2): 5 ≠ 2"},
      {op::sum_over, {{5, 2}, {5, 2}}, "A (5, 2), (2, 2): 5 ≠ 2"},
      {op::softmax_gradient, {{2, 4, 4}, {3, 4, 4}}, "A (2, 4, 4), B (3, 4, 4): 2 ≠ 3"},
      {op::mask_fill, {{2, 3}, {2, 4}}, "A (2, 3), B (2, 4): 3 ≠ 4"},
      {op::mask_keep, {{2, 3}, {1, 3}}, "A (2, 3), B (1, 3): 2 ≠ 1"},
      {op::softmax_gradient, {{4, 4}, {1, 4}}, "A (4, 4), B (1, 4): 4 ≠ 1"},
      {op::log_softmax_gradient, {{4, 4}, {4, 1}}, "A (4, 4), B (4, 1): 4 ≠ 1"},
      {op::relu_gradient, {{4, 4}, {4, 2}}, "A (4, 4), B (4, 2): 4 ≠ 2"},
      {op::gelu_gradient, {{4, 4}, {4, 2}}, "A (4, 4), B (4, 2): 4 ≠ 2"},
      {op::silu_gradient, {{4, 4}, {2, 4}}, "A (4, 4), B (2, 4): 4 ≠ 2"},
      {op::squared_relu_gradient, {{4, 4}, {2, 4}}, "A (4, 4), B (2, 4): 4 ≠ 2"},
      {op::gelu_tanh_gradient, {{4, 4}, {4, 2}}, "A (4, 4), B (4, 2): 4 ≠ 2"},
      {op::sqrt_gradient, {{4, 1}, {1, 4}}, "A (4, 1), B (1, 4): 4 ≠ 1"},
      {op::entropy_gradient, {{4, 1}, {3, 4}}, "A (4, 1), B (3, 4): 4 ≠ 3"},
      {op::variance_gradient, {{1, 4}, {4, 4}}, "A (1, 4), B (4, 4): 1 ≠ 4"},
      {op::divisor_gradient, {{4, 4}, {4, 4}, {1, 4}}, "A (4, 4), C (1, 4): 4 ≠ 1"},
      {op::std_gradient, {{4, 1}, {4, 4}, {1, 4}}, "B (4, 4), C (1, 4): 4 ≠ 1"},
      {op::relu_gradient, {{4}, {4}}, "A (4,): 1 ≠ 2"},
      {op::kl_divergence, {{2, 4}, {1, 2, 4}}, "A (2, 4), B (1, 2, 4): 2 ≠ 3"},
      {op::total, {{2, 4}, {2, 4}, {2, 3}}, "A (2, 4), C (2, 3): 4 ≠ 3"},
      {op::gather, {{2, 2}, {4}}, "A (2, 2)[B]: 2 ≠ 3"},
      {op::scatter, {{3, 2}, {3}}, "(2, 2)[B]: 2 ≠ 3"},
      {op::scatter, {{3, 3}, {3}}, "A (3, 3), B (3,): 9 ≠ 6"},
      {op::smoothed_target, {{4}, {}, {4, 2}}, "C (4, 2)[A]: 2 ≠ 3"},
      {op::smoothed_target, {{4}, {}, {3, 4}}, "C (3, 4), A (4,): 3 ≠ 4"},
      {op::split_heads, {{2, 5}}, "A (2, 5) % 2: 1 ≠ 0", 2},
      {op::merge_heads, {{2, 4}}, "A (2, 4): 2 ≠ 3"},
      {op::repeat_heads, {{2, 4}}, "A (2, 4): 2 ≠ 3", 2},
      {op::sum_heads, {{3, 2, 4}}, "A (3, 2, 4) % 2: 1 ≠ 0", 2},
      {op::rotate, {{3, 4}, {2, 2}}, "A (3, 4), B (2, 2): 3 ≠ 2", 1},
      {op::rotate, {{3, 6}, {3, 2}}, "A (3, 6), B (3, 2): 6 ≠ 4", 1},
      {op::rotate, {{3, 6}, {3, 3}}, "A (3, 6) % 4: 2 ≠ 0", 2}};
  for (const Misfit& misfit : misfits) {
    INFO(misfit.operation.name);
    CHECK(refusal(misfit) == misfit.message);
  }
  CHECK(refusal({op::scatter, {{2, 2}, {2}}, ""}) == "it fits");
  CHECK(refusal({op::smoothed_target, {{4}, {}, {4, 4}}, ""}) == "it fits");
  CHECK(refusal({op::divisor_gradient, {{4, 4}, {4, 4}, {4, 1}}, ""}) == "it fits");
}

TEST_CASE("labels that lie in another order than the rows they are of are refused", "[ops]") {
  // As many as there are rows, but (3, 2) beside (2, 3, 5): written as it stands, a third row would come to
  // lie behind the last one.
  const Tensor labels({3, 2}), pad(Shape{}), log_probs({2, 3, 5});
  const Operation operation = op::smoothed_target("labels", "pad", "log_probs");
  const Arguments turned(operation, {&labels, &pad, &log_probs});
  CHECK_THROWS_AS(op::smoothed_target.shape(turned), Error);
  const Tensor in_place({2, 3});
  CHECK(op::smoothed_target.shape(Arguments(operation, {&in_place, &pad, &log_probs})) == Shape{2, 3, 5});
}

TEST_CASE("a padding that is no number is no word", "[ops]") {
  const Tensor labels({2}), nothing(Shape{}, {std::nan("")}), ignored(Shape{}, {-100}), log_probs({2, 3});
  const Operation operation = op::smoothed_target("labels", "pad", "log_probs");
  CHECK_THROWS_AS(op::smoothed_target.shape(Arguments(operation, {&labels, &nothing, &log_probs})), Error);
  CHECK(op::smoothed_target.shape(Arguments(operation, {&labels, &ignored, &log_probs})) == Shape{2, 3});
}

TEST_CASE("a divergence is of matrices: numbers and vectors are refused before they are read as one",
          "[ops]") {
  for (const Shape& shape : {Shape{}, Shape{3}}) {
    const Tensor values(shape);
    const Operation operation = op::kl_divergence("a", "b").with(1, "1");
    CHECK_THROWS_AS(op::kl_divergence.shape(Arguments(operation, {&values, &values})), Error);
  }
  const Tensor matrix({2, 3});
  CHECK(op::kl_divergence.shape(Arguments(op::kl_divergence("a", "b").with(1, "1"), {&matrix, &matrix})) ==
        Shape{});
}
