// Central differences as a judge: no right gradient is accused, whatever the size of the numbers, and an
// error of a thousandth of the largest cell is found.

#include "core/error.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/random_input.hpp"
#include "trace/gradients.hpp"

#include <cmath>
#include <cstdio>

using namespace tfx;

namespace {

enum class Numbers { as_drawn, of_any_size };

// ±10^−3 … ±10^3.
double of_any_size(RandomInput& random) {
  return std::pow(10.0, random.number(3)) * (random.coin() ? 1 : -1);
}

// A lesson on a few random words, with its gradients; every second run is a block's, whose norms bend
// sharply.
Trace random_run(std::uint32_t seed, Numbers numbers) {
  static const std::vector<std::string> lessons = {"qkv",    "scores",    "softmax", "attention", "sdpa",
                                                   "masked", "multihead", "cross",   "embed",     "loss"};
  RandomInput random(seed);
  const Lesson& lesson = find_lesson(random.coin() ? "block" : lessons[random.size(0, lessons.size() - 1)]);
  InputOptions options;
  options.seed = seed;
  options.d_model = 2 * random.size(1, 2);
  if (lesson.takes(Input::token_ids))
    options.text = "the cat sat";
  else
    options.n_q = random.size(2, 4);
  if (lesson.takes(Input::heads) && random.coin()) options.heads = 2;
  if (lesson.takes(Input::feed_forward)) {
    options.d_ff = random.size(1, 5), options.norm_first = random.coin();
    if (random.coin()) options.norm = Norm::layer;
  }
  if (lesson.may_be_causal() && random.coin()) options.causal = true;
  LessonInput input = resolve_input(options, lesson);
  if (numbers == Numbers::of_any_size) {
    const bool alike = random.coin();
    const double size = std::abs(of_any_size(random));
    for (Step& step : input.given.steps)
      if (step.name == "X" || step.name == "Q" || step.name == "memory")
        for (double& x : step.value.data) x = alike ? size * random.number(1) : of_any_size(random);
  }
  input.purpose = RunFor::proof;
  Trace trace = lesson.run(input);
  if (trace.gradients.empty()) add_gradients(trace);
  return trace;
}

const char* end_of(const Trace& trace) {
  return trace.has("loss") ? "loss" : "mean";
}

double largest_of(const Tensor& tensor) {
  double largest = 0;
  for (const double x : tensor.data) largest = std::max(largest, std::abs(x));
  return largest;
}

// How many gradients were compared, none of them with an alarm.
std::size_t accuse_none(std::uint32_t runs) {
  std::size_t compared = 0;
  for (std::uint32_t seed = 0; seed < runs; ++seed) {
    const Trace trace = random_run(seed, Numbers::of_any_size);
    for (const GradientCheck& check : trace.gradients) {
      INFO("seed " << seed << ", " << trace.lesson << ", " << check.gradient);
      CHECK(check.largest <= max_apart);
      ++compared;
    }
  }
  return compared;
}

} // namespace

TEST_CASE("no gradient of any size is taken for a wrong one", "[trace][gradients][repeats]") {
  CHECK(accuse_none(300) > 5000);
}

TEST_CASE("no gradient of any size is taken for a wrong one, in 5000 runs", "[.][extended]") {
  const std::size_t compared = accuse_none(5000);
  CHECK(compared > 100000);
  std::printf("count gradients compared with central differences, of numbers of any size %zu\n", compared);
}

TEST_CASE("the smallest norms are no defect", "[trace][gradients]") {
  InputOptions options; // two cells a word: their normalised values are ±1 but for the epsilon
  options.d_model = 2, options.grad = true;
  for (const Check& check : run_lesson(find_lesson("block"), options).trace.checks) {
    INFO(check.id << ": " << check.value);
    CHECK(check.pass);
  }
}

TEST_CASE("a gradient that is wrong by a thousandth is found", "[trace][gradients][repeats]") {
  std::size_t planted = 0, found = 0;
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    const Trace right = random_run(seed, Numbers::as_drawn);
    const double size = std::max(1.0, std::abs(right[end_of(right)].data[0]));
    for (const GradientCheck& one : right.gradients) {
      const double largest = largest_of(right[one.gradient]);
      if (one.tried == 0 || largest < 1e-6 * size) continue; // rounding hides a thousandth of it
      RandomInput random(seed);
      std::size_t cell = random.size(0, right[one.of].size() - 1);
      if (std::isnan(one.differences.data[cell])) continue;
      Trace wrong = right;
      wrong.gradients.clear();
      for (Step& step : wrong.steps)
        if (step.name == one.gradient) step.value.data[cell] += (random.coin() ? 1e-3 : -1e-3) * largest;
      add_central_differences(wrong, end_of(wrong), {one.of});
      INFO("seed " << seed << ", " << right.lesson << ", " << one.gradient << ", cell " << cell);
      CHECK(wrong.gradients.at(0).largest > max_apart);
      ++planted, found += wrong.gradients.at(0).largest > max_apart;
    }
  }
  CHECK(planted > 500);
  CHECK(found == planted);
}
