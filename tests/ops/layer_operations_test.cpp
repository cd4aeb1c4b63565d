// The operations around the attention, on small tensors: what they explain can be calculated and is the cell,
// the evaluator agrees, and they cost what their steps count to.

#include "support/catch.hpp"
#include "support/evaluator.hpp"
#include "support/expression.hpp"
#include "trace/cost.hpp"
#include "trace/explain.hpp"
#include "trace/gradients.hpp"

#include <cmath>

using namespace tfx;

namespace {

const Tensor A({2, 3}, {1, -2, 4, 0.5, 0.25, -3});

// A step made of "A", "B" and what its operation says.
Trace traced(Operation operation) {
  Trace trace;
  trace.add_input("A", "", A, {{"x", "y"}, {}});
  trace.add_input("B", "", Tensor({3}, {2, 0, -1}), {});
  trace.add_input("ids", "", Tensor({2}, {1, 0}), {{"x", "y"}});
  trace.add("R", std::move(operation), Role::result);
  return trace;
}

// What is explained can be calculated, and the evaluator agrees.
void check_cells(const Trace& trace) {
  const Step& step = *trace.find("R");
  INFO(step.operation.kind->name);
  for (std::size_t i = 0; i < step.value.size(); ++i) {
    const Index index = index_of(step.value.shape, i);
    CHECK(evaluate(trace, step, index) == Approx(step.value.data[i]).epsilon(1e-13)); // 1 + tanh cancels
    const Explanation e = explain(trace, "R", index, 0, 100, 17);
    if (!e.by_rule) CHECK(calculate(arithmetic(e, 100, 17)) == Approx(step.value.data[i]).epsilon(1e-14));
  }
}

std::string explained(const Trace& trace, const Index& index) {
  const Explanation e = explain(trace, "R", index, 0, 100, 4);
  return e.formula + " = " + arithmetic(e, 100, 4) + (e.rule.empty() ? "" : " | " + e.rule);
}

std::size_t flops(const Trace& trace) {
  return cost_of(trace, *trace.find("R")).flops;
}

// R, of four cells a row, or of heads: 2 positions, angles 0, 0 and 1, 0.1.
Trace traced_heads(Operation operation) {
  Trace trace;
  trace.add_input("A", "", Tensor({2, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8, -1, -2, 0.5, 3, 2, 0, 1, 9}), {});
  trace.add_input("angles", "", Tensor({2, 2}, {0, 0, 1, 0.1}), {});
  trace.add_input("places", "", Tensor({2}, {0, 3}), {});
  trace.add("R", std::move(operation), Role::result);
  return trace;
}

// The gradients of the mean of what the cells of R give, each weighed by another number, are slopes.
void check_slopes(Trace trace) {
  Tensor weights(trace["R"].shape);
  for (std::size_t i = 0; i < weights.size(); ++i) weights.data[i] = std::sin(static_cast<double>(3 * i + 1));
  trace.add_input("weights", "", std::move(weights), {});
  trace.add("weighed", op::multiply("R", "weights"), Role::result);
  trace.main = "weighed", trace.purpose = RunFor::proof;
  add_gradients(trace);
  REQUIRE(trace.has("dA"));
  REQUIRE(trace.checks.size() == 1);
  CHECK(trace.checks[0].pass);
}

} // namespace

TEST_CASE("moments of a row", "[ops][layers]") {
  const Trace mean = traced(op::row_mean("A"));
  check_cells(mean);
  CHECK(explained(mean, {0, 0}) == "mean(A[x, :]) = (1 + (-2) + 4) / 3");
  CHECK(flops(mean) == 2 * (3 + 1));
  const Trace variance = traced(op::row_variance("A"));
  check_cells(variance);
  CHECK(explained(variance, {0, 0}) ==
        "Σ (x − mean)² / d, x = A[x, :] = ((1 - 1)^2 + (-2 - 1)^2 + (4 - 1)^2) / 3");
  CHECK(flops(variance) == 2 * (4 * 3 + 2));
  const Trace std = traced(op::row_std("A"));
  check_cells(std);
  CHECK(explained(std, {0, 0}) ==
        "√(Σ (x − mean)² / (d − 1)), x = A[x, :] = sqrt(((1 - 1)^2 + (-2 - 1)^2 + (4 - 1)^2) / (3 - 1))");
  CHECK(flops(std) == 2 * (4 * 3 + 3));
}

TEST_CASE("operations cell by cell", "[ops][layers]") {
  const Trace relu = traced(op::relu("A"));
  check_cells(relu);
  CHECK(explained(relu, {0, 1}) == "max(A[x, 1], 0) = max(-2, 0)");
  CHECK(flops(relu) == 6);
  const Trace scaled = traced(op::multiply_by("A").with(2, "√4"));
  check_cells(scaled);
  CHECK(explained(scaled, {0, 1}) == "A[x, 1]·√4 = (-2)·2");
  const Trace shifted = traced(op::add_constant("A").with(1e-6, "1e-6"));
  check_cells(shifted);
  CHECK(explained(shifted, {0, 1}) == "A[x, 1] + 1e-6 = -2 + 1e-6");
  const Trace waves = traced(op::sin_cos("A"));
  check_cells(waves);
  CHECK(explained(waves, {0, 1}) == "cos(A[x, 1]) = cos(-2)");
  CHECK(explained(waves, {0, 2}) == "sin(A[x, 2]) = sin(4)");
  const Trace product = traced(op::multiply("A", "B"));
  check_cells(product);
  CHECK(explained(product, {1, 2}) == "A[y, 2]·B[2] = (-3)·(-1)");
  CHECK(product.find("R")->labels[0] == std::vector<std::string>{"x", "y"});
  Trace root = traced(op::multiply("A", "A"));
  root.steps.back().name = "squares";
  root.add("R", op::sqrt("squares"), Role::result);
  check_cells(root);
  CHECK(explained(root, {0, 2}) == "√squares[x, 2] = sqrt(16)");
}

TEST_CASE("log-softmax, positions and one-hot rows", "[ops][layers]") {
  const Trace logs = traced(op::log_softmax("A"));
  check_cells(logs);
  CHECK(explained(logs, {0, 1}) ==
        "ln softmax(A[x, :])[1] = -2 - 4 - ln(exp(1 - 4) + exp(-2 - 4) + exp(4 - 4))");
  CHECK(flops(logs) == 5 * 6 + 2);
  const Trace angles = traced(op::angle("ids").with(3, "3"));
  check_cells(angles);
  CHECK(explained(angles, {0, 2}) == "ids[x] / 10000^(2⌊j/2⌋/d), j = 2, d = 3 = 1 / 10000^(2·1/3)");
  CHECK(angles.find("R")->labels[0] == std::vector<std::string>{"x", "y"});
  const Trace ones = traced(op::one_hot("A", "ids"));
  check_cells(ones);
  CHECK(explained(ones, {0, 1}) == "[ids[x] = 1] = 1 | ids[x] = 1 ⇒ 1");
  CHECK(explained(ones, {0, 0}) == "[ids[x] = 0] = 1 | ids[x] = 1 ≠ 0 ⇒ 0");
  CHECK(ones.find("R")->labels == Labels{{"x", "y"}, {"x", "y"}});
  CHECK(flops(ones) == 0);
}

TEST_CASE("GELU and SiLU, cell by cell", "[ops][layers]") {
  const Trace gelu = traced(op::gelu("A"));
  check_cells(gelu);
  CHECK(explained(gelu, {0, 1}) == "A[x, 1]·Φ(A[x, 1]) = (-2)·(1 + erf(-2/sqrt(2)))/2");
  CHECK(flops(gelu) == 5 * 6);
  const Trace silu = traced(op::silu("A"));
  check_cells(silu);
  CHECK(explained(silu, {0, 1}) == "A[x, 1]/(1 + e^−A[x, 1]) = -2/(1 + exp(-(-2)))");
  CHECK(flops(silu) == 4 * 6);
  const Trace gelu_back = traced(op::gelu_gradient("A", "A"));
  check_cells(gelu_back);
  CHECK(explained(gelu_back, {0, 0}) == "A[x, 0]·(Φ(A[x, 0]) + A[x, 0]·φ(A[x, 0])) = "
                                        "1·((1 + erf(1/sqrt(2)))/2 + 1·exp(-1^2/2)/sqrt(2·3.1416))");
  CHECK(flops(gelu_back) == 12 * 6);
  const Trace silu_back = traced(op::silu_gradient("A", "A"));
  check_cells(silu_back);
  CHECK(explained(silu_back, {0, 1}) == "A[x, 1]·σ(A[x, 1])·(1 + A[x, 1]·(1 − σ(A[x, 1]))) = "
                                        "(-2)·1/(1 + exp(-(-2)))·(1 + (-2)·(1 - 1/(1 + exp(-(-2)))))");
  CHECK(flops(silu_back) == 9 * 6);
}

TEST_CASE("GPT-2's GELU and the squared ReLU, cell by cell", "[ops][layers]") {
  const Trace gelu = traced(op::gelu_tanh("A"));
  check_cells(gelu);
  CHECK(explained(gelu, {0, 1}) == "A[x, 1]·(1 + tanh(√(2/π)·(A[x, 1] + 0.044715·A[x, 1]³)))/2 = "
                                   "(-2)·(1 + tanh(sqrt(2/3.1416)·((-2) + 0.044715·(-2)^3)))/2");
  CHECK(flops(gelu) == 9 * 6);
  const Trace squared = traced(op::squared_relu("A"));
  check_cells(squared);
  CHECK(explained(squared, {0, 1}) == "max(A[x, 1], 0)² = max(-2, 0)^2");
  CHECK(squared.find("R")->value.data == std::vector<double>{1, 0, 16, 0.25, 0.0625, 0});
  CHECK(flops(squared) == 2 * 6);
  const Trace gelu_back = traced(op::gelu_tanh_gradient("A", "A"));
  check_cells(gelu_back);
  CHECK(explained(gelu_back, {0, 0}) ==
        "A[x, 0]·((1 + t)/2 + A[x, 0]·(1 − t²)/2·√(2/π)·(1 + 0.134145·A[x, 0]²)), "
        "t = tanh(√(2/π)·(A[x, 0] + 0.044715·A[x, 0]³)) = "
        "1·((1 + tanh(sqrt(2/3.1416)·(1 + 0.044715·1^3)))/2 + "
        "1·(1 - tanh(sqrt(2/3.1416)·(1 + 0.044715·1^3))^2)/2·sqrt(2/3.1416)·(1 + 0.134145·1^2))");
  CHECK(flops(gelu_back) == 18 * 6);
  const Trace squared_back = traced(op::squared_relu_gradient("A", "A"));
  check_cells(squared_back);
  CHECK(explained(squared_back, {0, 1}) == "A[x, 1]·2·max(A[x, 1], 0) = (-2)·2·max(-2, 0)");
  CHECK(flops(squared_back) == 3 * 6);
}

TEST_CASE("rotary positions turn pairs, and the gradient turns them back", "[ops][layers]") {
  Trace angles = traced_heads(op::rotary_angle("places").with(100, "100").onto({2, 2}));
  check_cells(angles);
  CHECK(explained(angles, {1, 1}) == "places[1] / 100^(2j/w), j = 1, w = 4 = 3 / 100^(2·1/4)");
  CHECK(angles.find("R")->formula == "places/100^(2j/4)");
  CHECK(angles["R"].data[3] == Approx(0.3).epsilon(1e-15)); // 3 / 100^(1/2)
  const Trace neighbours = traced_heads(op::rotate("A", "angles").with(1));
  check_cells(neighbours), check_slopes(neighbours);
  CHECK(explained(neighbours, {0, 1, 2}) ==
        "A[0, 1, 2]·cos(angles[1, 1]) − A[0, 1, 3]·sin(angles[1, 1]) = 7·cos(0.1) - 8·sin(0.1)");
  CHECK(explained(neighbours, {0, 1, 3}) ==
        "A[0, 1, 3]·cos(angles[1, 1]) + A[0, 1, 2]·sin(angles[1, 1]) = 8·cos(0.1) + 7·sin(0.1)");
  CHECK(flops(neighbours) == 5 * 16);
  const Trace halves = traced_heads(op::rotate("A", "angles").with(2));
  check_cells(halves), check_slopes(halves);
  CHECK(explained(halves, {0, 1, 0}) ==
        "A[0, 1, 0]·cos(angles[1, 0]) − A[0, 1, 2]·sin(angles[1, 0]) = 5·cos(1) - 7·sin(1)");
  CHECK(explained(halves, {0, 1, 3}) ==
        "A[0, 1, 3]·cos(angles[1, 1]) + A[0, 1, 1]·sin(angles[1, 1]) = 8·cos(0.1) + 6·sin(0.1)");
  Trace back = halves;
  back.add("again", op::rotate("R", "angles").with(-2), Role::result);
  CHECK(back.find("again")->formula == "rotate(R, −angles)");
  for (std::size_t i = 0; i < 16; ++i)
    CHECK(back["again"].data[i] == Approx(back["A"].data[i]).epsilon(1e-15));
}

TEST_CASE("heads that others share are repeated, and their gradients summed", "[ops][layers]") {
  const Trace many = traced_heads(op::repeat_heads("A").with(3, "3"));
  check_cells(many), check_slopes(many);
  CHECK(many["R"].shape == Shape{6, 2, 4});
  CHECK(explained(many, {5, 0, 1}) == "A[1, 0, 1] = -2");
  CHECK(many.find("R")->formula == "repeat(A, 3)");
  CHECK(flops(many) == 0);
  const Trace sum = traced_heads(op::sum_heads("A").with(2, "2"));
  check_cells(sum);
  CHECK(sum["R"].data == std::vector<double>{0, 0, 3.5, 7, 7, 6, 8, 17});
  CHECK(explained(sum, {0, 0, 1}) == "A[0, 0, 1] + A[1, 0, 1] = 2 + (-2)");
  CHECK(flops(sum) == 16);
}

TEST_CASE("what a wrong run counts may be fewer than none, or more than there are", "[ops][layers]") {
  const auto cells = [](Operation operation) {
    Trace t;
    t.add_input("A", "", Tensor({2, 2}), {});
    t.add("R", operation, Role::result);
    for (std::size_t i = 0; i < 4; ++i) CHECK(evaluate(t, *t.find("R"), {i / 2, i % 2}) == t["R"].data[i]);
    CHECK(explain(t, "R", {1, 1}, 0, 8, 4).cell.value == t["R"].data[3]);
    return t["R"].data;
  };
  CHECK(cells(op::padding_mask("A").with(-2, "-2")) == std::vector<double>{1, 1, 1, 1});
  CHECK(cells(op::padding_mask("A").with(9, "9")) == std::vector<double>{0, 0, 0, 0});
  CHECK(cells(op::causal_window("A").with(-2, "-2")) == std::vector<double>{0, 0, 0, 0});
  CHECK(cells(op::causal_window("A").with(9, "9")) == std::vector<double>{1, 0, 1, 1});
  CHECK(cells(op::top_k("A").with(-7, "-7")) == std::vector<double>{0, 0, 0, 0});
  CHECK(cells(op::top_k("A").with(9, "9")) == std::vector<double>{1, 1, 1, 1});
}

TEST_CASE("a window shows a query itself and those before it", "[ops][layers]") {
  Trace window;
  window.add_input("A", "", Tensor({4, 4}), {});
  window.add("R", op::causal_window("A").with(2, "2"), Role::result);
  for (std::size_t i = 0; i < 16; ++i)
    CHECK(evaluate(window, *window.find("R"), {i / 4, i % 4}) == window["R"].data[i]);
  CHECK(window["R"].data == std::vector<double>{1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1});
  CHECK(window.find("R")->formula == "[i − 2 < j ≤ i]");
  CHECK(explain(window, "R", {3, 1}, 0, 8, 4).rule == "j = 1 ≤ i − 2 = 1 ⇒ 0");
  CHECK(explain(window, "R", {3, 2}, 0, 8, 4).rule == "1 < j = 2 ≤ i = 3 ⇒ 1");
  CHECK(explain(window, "R", {2, 3}, 0, 8, 4).rule == "j = 3 > i = 2 ⇒ 0");
}
