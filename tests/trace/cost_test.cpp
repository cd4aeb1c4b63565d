// Parameters, MACs and FLOPs, counted by hand.

#include "trace/cost.hpp"

#include "lessons/run.hpp"
#include "support/catch.hpp"

using namespace tfx;

namespace {

Trace run_of_tutorial(const std::string& lesson, const std::string& tutorial) {
  InputOptions options;
  options.tutorial = tutorial;
  return run_lesson(find_lesson(lesson), options).trace;
}

struct Expected {
  std::size_t parameters, macs, flops;
};

void check_cost(const Cost& cost, const Expected& expected) {
  CHECK(cost.parameters == expected.parameters);
  CHECK(cost.macs == expected.macs);
  CHECK(cost.flops == expected.flops);
}

Cost cost_of(const Trace& trace, const std::string& name) {
  return tfx::cost_of(trace, *trace.find(name));
}

} // namespace

TEST_CASE("the first lessons of fun-transformer: 4 words, width 3", "[trace][cost]") {
  const Trace qkv = run_of_tutorial("qkv", "fun-transformer:1");
  check_cost(cost_of(qkv, "Q"), {0, 4 * 3 * 3, 2 * 4 * 3 * 3});
  check_cost(cost_of(qkv, "W_Q"), {9, 0, 0});
  check_cost(lesson_cost(qkv), {27, 108, 216});
  check_cost(total_cost(qkv), {27, 108, 216});

  const Trace scores = run_of_tutorial("scores", "fun-transformer:1");
  check_cost(lesson_cost(scores), {0, 48, 96});            // 16 scores of 3 products
  check_cost(total_cost(scores), {18, 36 + 36 + 48, 240}); // and Q and K

  const Trace words = run_of_tutorial("words", "fun-transformer:1");
  check_cost(cost_of(words, "norms"), {0, 0, 4 * (3 + 3) + 4}); // squares, sums, roots
  check_cost(cost_of(words, "dots"), {0, 48, 96});
  check_cost(cost_of(words, "cosines"), {0, 0, 2 * 16});
  check_cost(cost_of(words, "distances"), {0, 0, 16 * (3 * 3 + 1)});
  check_cost(lesson_cost(words), {0, 48, 28 + 96 + 32 + 160});

  const Trace softmax = run_of_tutorial("softmax", "fun-transformer:1");
  for (const char* name : {"scaled", "row_max", "shifted", "exponentials", "row_sum", "weights"})
    check_cost(cost_of(softmax, name), {0, 0, 16});
  check_cost(cost_of(softmax, "entropy"), {0, 0, 48});
  check_cost(lesson_cost(softmax), {0, 0, 6 * 16 + 48});

  check_cost(lesson_cost(run_of_tutorial("attention", "fun-transformer:1")),
             {0, 48, 96}); // 12 outputs of 4 products
}

TEST_CASE("heads: 5 words, width 4, 2 heads, causal", "[trace][cost]") {
  const Trace trace = run_of_tutorial("multihead", "happy-llm:2");
  check_cost(cost_of(trace, "scores"), {0, 2 * 25 * 2, 4 * 25 * 2});
  check_cost(cost_of(trace, "scaled"), {0, 0, 50});
  check_cost(cost_of(trace, "weights"), {0, 0, 5 * 50});
  check_cost(cost_of(trace, "heads"), {0, 2 * 10 * 5, 4 * 10 * 5});
  check_cost(cost_of(trace, "output"), {0, 80, 160});
  for (const char* name : {"Q_heads", "mask", "masked", "concat"})
    check_cost(cost_of(trace, name), {0, 0, 0});
  const std::size_t macs = 3 * 80 + 100 + 100 + 80;
  check_cost(lesson_cost(trace), {4 * 16, macs, 2 * macs + 50 + 250});
}

TEST_CASE("the number of heads changes neither parameters nor MACs of the projections", "[trace][cost]") {
  for (std::size_t heads : {1, 2, 4, 8}) {
    INFO(heads);
    InputOptions options;
    options.d_model = 8, options.n_q = 3, options.heads = heads;
    const Trace trace = run_lesson(find_lesson("multihead"), options).trace;
    CHECK(lesson_cost(trace).parameters == 4 * 64);
    CHECK(lesson_cost(trace).macs == 4 * 3 * 64 + 2 * 9 * 8);
  }
}

TEST_CASE("a batch costs that many times the work and no more parameters", "[trace][cost]") {
  InputOptions options;
  options.d_model = 4, options.n_q = 5;
  const Cost one = total_cost(run_lesson(find_lesson("multihead"), options).trace);
  options.batch = 3;
  const Cost three = total_cost(run_lesson(find_lesson("multihead"), options).trace);
  check_cost(three, {one.parameters, 3 * one.macs, 3 * one.flops});
}

TEST_CASE("biases are parameters and one addition a cell", "[trace][cost]") {
  const Trace trace = run_of_tutorial("qkv", "fun-transformer:2"); // batch 2, 5 tokens, width 128
  const std::size_t cells = 2 * 5 * 128, macs = 3 * cells * 128;
  check_cost(cost_of(trace, "Q"), {0, cells * 128, 2 * cells * 128 + cells});
  check_cost(lesson_cost(trace), {3 * (128 * 128 + 128), macs, 2 * macs + 3 * cells});
}

TEST_CASE("a parameter that two steps read is counted once", "[trace][cost]") {
  Trace trace;
  trace.add_input("X", "", Tensor(Shape{2, 3}), {});
  trace.add_input("W", "", Tensor(Shape{3, 3}), {}, Role::parameter);
  for (const char* name : {"A", "B"}) trace.add(name, op::matmul("X", "W"), Role::result);
  check_cost(lesson_cost(trace), {9, 36, 72});
  check_cost(total_cost(trace), {9, 36, 72});
}

TEST_CASE("look-ups, sums and maxima", "[trace][cost]") {
  Trace trace;
  trace.add_input("table", "", Tensor(Shape{10, 4}), {}, Role::parameter);
  trace.add_input("ids", "", Tensor(Shape{3}), {});
  trace.add("rows", op::gather("table", "ids"), Role::result);
  trace.add("sum", op::add("rows", "rows"), Role::result);
  trace.add("row_sum", op::row_sum("sum"), Role::result);
  trace.add("hard", op::first_max("sum"), Role::result);
  check_cost(cost_of(trace, "rows"), {0, 0, 0});
  check_cost(cost_of(trace, "sum"), {0, 0, 12});
  check_cost(cost_of(trace, "row_sum"), {0, 0, 12});
  check_cost(cost_of(trace, "hard"), {0, 0, 12});
  check_cost(lesson_cost(trace), {40, 0, 36}); // the table is read by a result
}
