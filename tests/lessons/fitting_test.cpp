// Shapes that do not fit, as a mistake makes them: what an operation refuses, and that no mistake gets past
// it.

#include "core/error.hpp"
#include "lessons/fitting.hpp"
#include "lessons/run.hpp"
#include "lessons/wrong_run.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"

using namespace tfx;

namespace {

struct Misfit {
  Op op;
  std::vector<Shape> inputs; ///< called A, B, C
  std::string message;
  double constant = 0;
  Shape result = {2, 2};
};

std::string refusal(const Misfit& misfit) {
  Trace trace;
  std::vector<std::string> names;
  for (const Shape& shape : misfit.inputs) {
    names.emplace_back(1, static_cast<char>('A' + names.size()));
    Tensor value(shape);
    for (std::size_t i = 0; i < value.size(); ++i) value.data[i] = static_cast<double>(i);
    trace.add_input(names.back(), "", std::move(value), Labels(shape.size()));
  }
  try {
    require_fitting(trace, how::of(misfit.op, names, misfit.constant), misfit.result);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::bad_data);
    return error.what();
  }
  return "it fits";
}

} // namespace

TEST_CASE("an operation names the tensors that do not fit, and the extents", "[lessons][mistakes]") {
  const std::vector<Misfit> misfits = {
      {Op::matmul, {{2, 3}, {2, 3}}, "A (2, 3) · B (2, 3): 3 ≠ 2"},
      {Op::matmul, {{2, 3}, {3, 4}, {3}}, "B (3, 4) + C (3,): 4 ≠ 3"},
      {Op::matmul_transposed, {{2, 3}, {2, 4}}, "A (2, 3) · Bᵀ (4, 2): 3 ≠ 4"},
      {Op::weighted_sum, {{2, 3}, {2, 3}}, "A (2, 3) · B (2, 3): 3 ≠ 2"},
      {Op::transposed_matmul, {{2, 3}, {4, 3}}, "A (2, 3), B (4, 3): 2 ≠ 4"},
      {Op::transposed_matmul, {{4, 3}, {4, 3}}, "Aᵀ·B (3, 3), (2, 2): 3 ≠ 2"},
      {Op::matmul, {{2, 2, 3}, {3, 3, 4}}, "A (2, 2, 3), B (3, 3, 4): 2 ≠ 3"},
      {Op::add, {{2, 3}, {2, 4}}, "A (2, 3), B (2, 4): 3 ≠ 4"},
      {Op::multiply, {{2, 3}, {4}}, "A (2, 3), B (4,): 3 ≠ 4"},
      {Op::both, {{2, 3}, {2, 3}, {3, 3}}, "A (2, 3), C (3, 3): 2 ≠ 3"},
      {Op::divide_by, {{5, 2}}, "A (5, 2), (2, 2): 5 ≠ 2"},
      {Op::sum_over, {{5, 2}, {5, 2}}, "A (5, 2), (2, 2): 5 ≠ 2"},
      {Op::softmax_gradient, {{2, 4, 4}, {3, 4, 4}}, "A (2, 4, 4), B (3, 4, 4): 2 ≠ 3"},
      {Op::mask_fill, {{2, 3}, {2, 4}}, "A (2, 3), B (2, 4): 3 ≠ 4"},
      {Op::mask_keep, {{2, 3}, {1, 3}}, "A (2, 3), B (1, 3): 2 ≠ 1"},
      {Op::softmax_gradient, {{4, 4}, {1, 4}}, "A (4, 4), B (1, 4): 4 ≠ 1"},
      {Op::log_softmax_gradient, {{4, 4}, {4, 1}}, "A (4, 4), B (4, 1): 4 ≠ 1"},
      {Op::relu_gradient, {{4, 4}, {4, 2}}, "A (4, 4), B (4, 2): 4 ≠ 2"},
      {Op::sqrt_gradient, {{4, 1}, {1, 4}}, "A (4, 1), B (1, 4): 4 ≠ 1"},
      {Op::entropy_gradient, {{4, 1}, {3, 4}}, "A (4, 1), B (3, 4): 4 ≠ 3"},
      {Op::variance_gradient, {{1, 4}, {4, 4}}, "A (1, 4), B (4, 4): 1 ≠ 4"},
      {Op::divisor_gradient, {{4, 4}, {4, 4}, {1, 4}}, "A (4, 4), C (1, 4): 4 ≠ 1"},
      {Op::std_gradient, {{4, 1}, {4, 4}, {1, 4}}, "B (4, 4), C (1, 4): 4 ≠ 1"},
      {Op::relu_gradient, {{4}, {4}}, "A (4,): 1 ≠ 2"},
      {Op::divergence, {{2, 4}, {1, 2, 4}}, "A (2, 4), B (1, 2, 4): 2 ≠ 3"},
      {Op::total, {{2, 4}, {2, 4}, {2, 3}}, "A (2, 4), C (2, 3): 4 ≠ 3"},
      {Op::gather, {{2, 2}, {4}}, "A (2, 2)[B]: 2 ≠ 3"},
      {Op::scatter, {{3, 2}, {3}}, "(2, 2)[B]: 2 ≠ 3"},
      {Op::scatter, {{3, 3}, {3}}, "A (3, 3), B (3,): 9 ≠ 6"},
      {Op::smoothed_target, {{4}, {}, {4, 2}}, "C (4, 2)[A]: 2 ≠ 3"},
      {Op::smoothed_target, {{4}, {}, {3, 4}}, "C (3, 4), A (4,): 3 ≠ 4"},
      {Op::split_heads, {{2, 5}}, "A (2, 5) % 2: 1 ≠ 0", 2},
      {Op::merge_heads, {{2, 4}}, "A (2, 4): 2 ≠ 3"}};
  for (const Misfit& misfit : misfits) {
    INFO(name_of(misfit.op));
    CHECK(refusal(misfit) == misfit.message);
  }
  CHECK(refusal({Op::scatter, {{2, 2}, {2}}, ""}) == "it fits");
  CHECK(refusal({Op::smoothed_target, {{4}, {}, {4, 4}}, ""}) == "it fits");
  CHECK(refusal({Op::divisor_gradient, {{4, 4}, {4, 4}, {4, 1}}, ""}) == "it fits");
}

TEST_CASE("a wrong run stops where shapes do not fit, gradients too, and nowhere else",
          "[lessons][mistakes]") {
  const TemporaryFolder folder;
  std::vector<LessonCase> cases = own_cases(folder);
  InputOptions padded;
  padded.text = "a b", padded.pad = 3; // cross.kv_from_decoder has two keys
  cases.push_back({"cross, more padding than words", &find_lesson("cross"), padded});
  for (const Lesson& lesson : lessons()) {
    InputOptions with_gradients;
    with_gradients.grad = true;
    cases.push_back({lesson.command + ", gradients", &lesson, with_gradients});
  }
  std::size_t stopped = 0;
  for (const LessonCase& one : cases) {
    const Trace right = run_lesson(*one.lesson, one.options).trace;
    for (const Mistake& mistake : mistakes()) {
      INFO(one.name << ": " << mistake.id);
      WrongRun run;
      REQUIRE_NOTHROW(run = run_wrong(right, {&mistake}));
      if (!run.stops) continue;
      ++stopped;
      INFO(*run.stops);
      CHECK(run.stops->find("≠") != std::string::npos);
    }
  }
  CHECK(stopped > 50);
}
