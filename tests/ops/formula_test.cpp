// A formula as text: what it gives beside plain arithmetic, what it refuses, one of its cells as arithmetic.

#include "ops/formula.hpp"

#include "core/error.hpp"
#include "support/catch.hpp"
#include "support/random_input.hpp"
#include "trace/explain.hpp"
#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

namespace {

// A run with given tensors and one step, by the formula.
Trace run_of(const std::string& text, const std::map<std::string, Tensor>& given, const Shape& shape = {}) {
  Trace trace;
  for (const auto& [name, value] : given) trace.add_input(name, "", value, Labels(value.rank()));
  Step step;
  step.name = "result", step.value = Tensor(shape), step.labels = Labels(shape.size());
  const auto names = FormulaNames::of("result", trace, step);
  trace.steps.push_back(names->computed(text, text));
  return trace;
}

Tensor value_of(const std::string& text, const std::map<std::string, Tensor>& given,
                const Shape& shape = {}) {
  return run_of(text, given, shape)["result"];
}

double number(const std::string& text) {
  return value_of(text, {}, {}).data.at(0);
}

std::string refusal(const std::string& text, const std::map<std::string, Tensor>& given) {
  try {
    value_of(text, given);
  } catch (const Error& error) {
    return error.message().in_english();
  }
  return "";
}

std::string cell_of(const std::string& text, const std::map<std::string, Tensor>& given, const Index& at) {
  const Trace trace = run_of(text, given, {2, 2});
  return arithmetic(explain(trace, "result", at, 0, 8, 4), 8, 4);
}

const Tensor P({2, 3}, {1, 2, 3, 4, 5, 6}), R({3, 2}, {1, 0, 2, 1, 0, 1});

} // namespace

TEST_CASE("a formula binds as it is written", "[ops]") {
  CHECK(number("1 + 2·3 − 4/2") == 5);
  CHECK(number("−2² + √9·2") == 2);
  CHECK(number("2^3^2") == 512);
  CHECK(number("|−3| + ⌊2.7⌋") == 5);
  CHECK(number("(1 − 2 − 3)·2") == -8);
  CHECK(number("[1 ≤ 2 < 3] + [1 > 2] + [2 = 2]") == 2);
  CHECK(number("where([1 > 2], ∞, −1e-9)") == -1e-9);
  CHECK(number("2⌊3/2⌋/4") == 0.5);
  CHECK(number("e^1 + ln(e)") == Approx(std::exp(1.0) + 1));
}

TEST_CASE("a formula of tensors is plain arithmetic of their cells", "[ops]") {
  CHECK(value_of("P·R", {{"P", P}, {"R", R}}) == Tensor({2, 2}, {5, 5, 14, 11}));
  CHECK(value_of("2·P − Rᵀ", {{"P", P}, {"R", R}}) == Tensor({2, 3}, {1, 2, 6, 8, 9, 11}));
  CHECK(value_of("Σ P⊙Rᵀ / 2", {{"P", P}, {"R", R}}) == Tensor({}, {8.0}));
  CHECK(value_of("P/rowsum(P)", {{"P", P}}).data[5] == 6.0 / 15);
  CHECK(value_of("P − colmean(P)", {{"P", P}}).data[0] == -1.5);
  CHECK(value_of("[j ≤ i]", {}, {3, 3}) == Tensor({3, 3}, {1, 0, 0, 1, 1, 0, 1, 1, 1}));
  CHECK(value_of("where([k = i], P, 0)", {{"P", P}}, {2, 2, 3}) ==
        Tensor({2, 2, 3}, {1, 2, 3, 0, 0, 0, 0, 0, 0, 4, 5, 6}));
  // Labels of two sentences, each beside its own logits.
  CHECK(value_of("[column(labels) = j]", {{"labels", Tensor({2, 1}, {1, 0})}}, {2, 1, 2}) ==
        Tensor({2, 1, 2}, {0, 1, 1, 0}));
  CHECK(std::isnan(value_of("var(P, ddof=1)", {{"P", Tensor({2, 1}, {1, 2})}}).data[0]));
  RandomInput random(7);
  for (int n = 0; n < 50; ++n) {
    Tensor M({3, 4});
    for (double& x : M.data) x = random.number(3);
    const Tensor whole = value_of("softmax(M)", {{"M", M}}),
                 parts = value_of("e^(M − rowmax(M))/rowsum(e^(M − rowmax(M)))", {{"M", M}});
    for (std::size_t i = 0; i < whole.size(); ++i)
      CHECK(whole.data[i] == Approx(parts.data[i]).epsilon(1e-14));
  }
}

TEST_CASE("a formula costs what its operation costs", "[ops]") {
  const Trace by_text = run_of("P·R", {{"P", P}, {"R", R}});
  const Step& step = by_text.step_named("result");
  const Work text = op::formula.work(by_text.computed(step));
  Trace by_operation;
  by_operation.add_input("P", "", P, Labels(2)), by_operation.add_input("R", "", R, Labels(2));
  by_operation.add("result", op::matmul("P", "R"), Role::result);
  const Work product = op::matmul.work(by_operation.computed(by_operation.step_named("result")));
  CHECK(text.macs == product.macs);
  CHECK(text.flops == product.flops);
  const Trace cells = run_of("e^P + P", {{"P", P}});
  CHECK(op::formula.work(cells.computed(cells.step_named("result"))).flops == 2 * P.size());
}

TEST_CASE("a formula refuses shapes with what a learner wrote", "[ops]") {
  CHECK(refusal("P·P", {{"P", P}}) == "P (2, 3) · P (2, 3): 3 ≠ 2");
  CHECK(refusal("P·Rᵀ", {{"P", P}, {"R", R}}) == "P (2, 3) · Rᵀ (2, 3): 3 ≠ 2");
  CHECK(refusal("P + R", {{"P", P}, {"R", R}}) == "P (2, 3), R (3, 2): 3 ≠ 2");
  CHECK(refusal("softmax(P)", {{"P", Tensor({2, 0}, {})}}) == "P (2, 0): 0 ≠ 1");
  CHECK_THROWS_AS(Formula("1 +"), Error);
  CHECK_THROWS_AS(Formula("nothing(P)"), Error);
  CHECK_THROWS_AS(Formula("softmax(P, R)"), Error);
  CHECK_THROWS_AS(Formula("(P"), Error);
}

TEST_CASE("a cell of a formula is arithmetic that gives it", "[ops]") {
  const Tensor M({2, 2}, {1, -2, 3, 4}), N({2, 2}, {0.5, 1, 2, -1});
  const std::map<std::string, Tensor> given = {{"M", M}, {"N", N}};
  CHECK(cell_of("M·N", given, {0, 1}) == "1·1 + (-2)·(-1)");
  CHECK(cell_of("M·N + N", given, {0, 1}) == "1·1 + (-2)·(-1) + 1");
  CHECK(cell_of("M − N", given, {1, 1}) == "4 - (-1)");
  CHECK(cell_of("(M − N)⊙M", given, {1, 0}) == "(3 - 2)·3");
  CHECK(cell_of("e^M/rowsum(e^M)", given, {0, 0}) == "exp(1) / (exp(1) + exp(-2))");
  CHECK(cell_of("softmax(M)", given, {0, 0}) == "exp(1)/(exp(1) + exp(-2))");
  CHECK(cell_of("√(M² + 1e-6)", given, {0, 1}) == "sqrt((-2)^2 + 1e-6)");
  CHECK(cell_of("where([M > 0], M, N)", given, {0, 1}) == "1");
  CHECK(cell_of("Mᵀ", given, {0, 1}) == "3");
  // What stands beside a cell must not tear it apart.
  CHECK(cell_of("−M²·N", {{"M", M}, {"N", Tensor({}, {2})}}, {0, 1}) == "(-((-2)^2))·2");
  CHECK(cell_of("(M²)²", given, {0, 1}) == "((-2)^2)^2");
  CHECK(cell_of("N/rowmean(M²)", given, {0, 0}) == "0.5 / ((1^2 + (-2)^2)/2)");
  CHECK(cell_of("where([M > 0], M − N, 0)/N", given, {1, 0}) == "(3 - 2) / 2");
  CHECK(cell_of("N⊙(M − N)ᵀ", given, {0, 0}) == "0.5·(1 - 0.5)");
  const Tensor tiny({2, 2}, {-1e-5, 1, 1, 1});
  CHECK(cell_of("T²·2", {{"T", tiny}}, {0, 0}) == "(-1.0e-05)^2·2");
}

} // namespace tfx
