// The numbers that the tutorials print, and NumPy's for every lesson on every tutorial.

#include "core/error.hpp"
#include "input/tutorials.hpp"
#include "lessons/run.hpp"
#include "lessons/softmax/sweep.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"
#include "support/reference.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <sstream>

using namespace tfx;

namespace {

Trace run(const std::string& lesson, const std::string& tutorial) {
  InputOptions options;
  options.tutorial = tutorial;
  return run_lesson(find_lesson(lesson), options).trace;
}

double worst_relative(const Tensor& a, const Tensor& b) {
  if (a.shape != b.shape) return std::numeric_limits<double>::infinity();
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (a.data[i] != b.data[i]) // −∞ equals −∞
      worst = std::max(worst, std::abs(a.data[i] - b.data[i]) / std::max(1.0, std::abs(b.data[i])));
  return worst;
}

double number(const Trace& trace, const std::string& fact) {
  return std::get<double>(trace.facts.at(fact));
}

} // namespace

TEST_CASE("a tutorial that draws its queries, keys and values draws them at other sizes too",
          "[input][tutorials]") {
  const InputRules sdpa{"sdpa", {Input::X, Input::QKV, Input::W_QKV}, "scaled-dot-product:1"};
  InputOptions same;
  const LessonInput own = resolve_input(same, sdpa);
  same.tutorial = "scaled-dot-product", same.n_q = 3; // its own size
  const LessonInput again = resolve_input(same, sdpa);
  for (const char* name : {"Q", "K", "V"}) CHECK(again.given[name] == own.given[name]);
  InputOptions other = same;
  other.n_q = 7, other.d_v = 2;
  const LessonInput resized = resolve_input(other, sdpa);
  CHECK(resized.given["Q"].shape == Shape{2, 7, 5});
  CHECK(resized.given["K"].shape == Shape{2, 4, 5});
  CHECK(resized.given["V"].shape == Shape{2, 4, 2});
  CHECK(resized.reference.empty());   // no run of the tutorial's to compare with
  other.tutorial = "fun-transformer"; // whose four words are given
  CHECK_THROWS_AS(resolve_input(other, sdpa), Error);
  other.tutorial = "scaled-dot-product", other.text = "a b";
  CHECK_THROWS_AS(resolve_input(other, sdpa), Error);
}

TEST_CASE("fun-transformer prints these numbers", "[input][tutorials]") {
  const Trace trace = run("attention", "fun-transformer");
  CHECK(trace["Q"] == Tensor({4, 3}, {2, 0, 2, 2, 0, 0, 4, 0, 2, 2, 1, 2}));
  CHECK(trace["K"] == Tensor({4, 3}, {2, 2, 2, 0, 2, 1, 2, 4, 3, 0, 1, 1}));
  CHECK(trace["V"] == Tensor({4, 3}, {1, 1, 0, 0, 1, 1, 1, 2, 1, 0, 0, 0}));
  CHECK(trace["scores"] == Tensor({4, 4}, {8, 2, 10, 2, 4, 0, 4, 0, 12, 2, 14, 2, 10, 4, 14, 3}));
  const std::vector<double> weights = {2.36089863e-01, 7.38987555e-03, 7.49130386e-01, 7.38987555e-03,
                                       4.54826323e-01, 4.51736775e-02, 4.54826323e-01, 4.51736775e-02,
                                       2.39275049e-01, 7.43870015e-04, 7.59237211e-01, 7.43870015e-04,
                                       8.99501754e-02, 2.81554063e-03, 9.05653685e-01, 1.58059922e-03};
  const std::vector<double> output = {0.98522025, 1.74174051, 0.75652026, 0.90965265, 1.40965265, 0.5,
                                      0.99851226, 1.75849334, 0.75998108, 0.99560386, 1.90407309, 0.90846923};
  REQUIRE(trace["weights"].size() == weights.size());
  REQUIRE(trace["output"].size() == output.size());
  for (std::size_t i = 0; i < weights.size(); ++i)
    CHECK(std::abs(trace["weights"].data[i] - weights[i]) < 5.1e-10);
  for (std::size_t i = 0; i < output.size(); ++i)
    CHECK(std::abs(trace["output"].data[i] - output[i]) < 5.1e-9);
}

TEST_CASE("every tensor of every lesson equals NumPy's", "[input][tutorials]") {
  std::map<std::string, std::size_t> per_lesson;
  for (const LessonCase& one : tutorial_cases()) {
    INFO(one.name);
    const std::string run = resolve_input(one.options, *one.lesson).reference;
    const Reference reference(run);
    const Trace trace = run_lesson(*one.lesson, one.options).trace;
    for (const Step& step : trace.steps) {
      INFO(step.name);
      // Of what a step has, its scores and its weights, NumPy keeps the rows that come of them.
      if (one.lesson->takes(Input::cache) && !reference.find("cache." + step.name)) continue;
      const Tensor* expected = reference.find(one.lesson->command, step.name);
      if (!expected) continue; // in brief, which tests/lessons/reference_test.cpp compares
      CHECK(worst_relative(step.value, *expected) <= 1e-12);
      ++per_lesson[one.lesson->command];
    }
  }
  const std::map<std::string, std::size_t> least = {
      {"lookup", 70},    {"words", 30}, {"qkv", 35},    {"scores", 35},     {"softmax", 75},
      {"attention", 65}, {"sdpa", 65},  {"masked", 75}, {"multihead", 105}, {"cross", 12},
      {"embed", 15},     {"block", 48}, {"loss", 30},   {"decode", 19},     {"cache", 36}};
  for (const auto& [lesson, count] : least) {
    INFO(lesson << ": " << per_lesson[lesson]);
    CHECK(per_lesson[lesson] >= count);
  }
}

TEST_CASE("every check of every lesson passes on every tutorial", "[input][tutorials]") {
  for (const LessonCase& one : tutorial_cases()) {
    const Trace trace = run_lesson(*one.lesson, one.options).trace;
    bool compared = false;
    for (const Check& check : trace.checks) {
      INFO(one.name << ": " << check.id << " " << check.value);
      CHECK(check.pass);
      compared = compared || check.id == "equals_reference";
    }
    INFO(one.name);
    CHECK(compared);
  }
}

TEST_CASE("every check of every lesson passes on the learner's own input", "[input][repeats]") {
  const TemporaryFolder folder;
  for (const LessonCase& one : own_cases(folder))
    for (const Check& check : run_lesson(*one.lesson, one.options).trace.checks) {
      INFO(one.name << ": " << check.id << " " << check.value);
      CHECK(check.pass);
      CHECK(check.id != "equals_reference");
    }
}

TEST_CASE("another seed, mask or weights are no longer the tutorial's run", "[input][tutorials]") {
  const auto compared = [](const std::string& lesson, auto change) {
    InputOptions options;
    options.tutorial = "happy-llm:2";
    change(options);
    const Trace trace = run_lesson(find_lesson(lesson), options).trace;
    return trace.facts.count("matched") == 1;
  };
  CHECK(compared("masked", [](InputOptions&) {}));
  CHECK(compared("masked", [](InputOptions& o) { o.causal = true; })); // as by default
  CHECK(compared("masked", [](InputOptions& o) { o.seed = 42; }));
  CHECK_FALSE(compared("masked", [](InputOptions& o) { o.seed = 43; }));
  CHECK_FALSE(compared("masked", [](InputOptions& o) { o.pad = 1; }));
  CHECK_FALSE(compared("sdpa", [](InputOptions& o) { o.causal = true; }));
  CHECK_FALSE(compared("multihead", [](InputOptions& o) { o.heads = 4; }));
  const auto layer = [](auto change) {
    InputOptions options;
    change(options);
    return run_lesson(find_lesson("block"), options).trace.facts.count("matched") == 1;
  };
  CHECK(layer([](InputOptions&) {}));
  CHECK(layer([](InputOptions& o) { o.norm_first = true; }));
  CHECK_FALSE(layer([](InputOptions& o) { o.norm_first = false; }));
  CHECK_FALSE(layer([](InputOptions& o) { o.norm = Norm::layer; }));
  CHECK_FALSE(layer([](InputOptions& o) { o.dropout = 0.1; }));
}

TEST_CASE("attention-block is the tutorial's float32 run", "[input][tutorials]") {
  const std::string tutorial = GENERATE("attention-block:1", "attention-block:2");
  INFO(tutorial);
  const Trace trace = run("multihead", tutorial);
  const Reference reference(tutorial);
  for (const char* name : {"X", "W_Q", "W_K", "W_V", "W_O"}) {
    INFO(name);
    REQUIRE(reference.find(name));
    CHECK(trace[name] == *reference.find(name)); // bit for bit
    for (double value : trace[name].data) REQUIRE(static_cast<double>(static_cast<float>(value)) == value);
  }
  for (const std::string name : {"weights", "output"}) {
    INFO(name);
    const Tensor* in_float = reference.find("multihead." + name + "_f32");
    REQUIRE(in_float);
    CHECK(worst_relative(trace[name], *in_float) <= 1e-5);
  }
}

TEST_CASE("attention-block states what the tutorial prints of weights and output", "[input][tutorials]") {
  const std::string tutorial = GENERATE("attention-block:1", "attention-block:2");
  INFO(tutorial);
  const Trace trace = run("multihead", tutorial);
  const Reference reference(tutorial);
  const std::vector<double>& weights = reference.find("multihead.weights")->data;
  const std::vector<double>& output = reference.find("multihead.output")->data;
  double least = output[0], most = output[0], sum = 0, squares = 0, heaviest = 0;
  for (double x : output) least = std::min(least, x), most = std::max(most, x), sum += x;
  const double mean = sum / static_cast<double>(output.size());
  for (double x : output) squares += (x - mean) * (x - mean);
  for (double w : weights) heaviest = std::max(heaviest, w);
  CHECK(number(trace, "weights_least") == 0); // whatever the causal mask hides
  CHECK(number(trace, "weights_most") == Approx(heaviest));
  CHECK(heaviest == 1); // the first token sees only itself
  CHECK(number(trace, "nan_count") == 0);
  CHECK(number(trace, "output_least") == Approx(least));
  CHECK(number(trace, "output_most") == Approx(most));
  CHECK(number(trace, "output_mean") == Approx(mean));
  CHECK(number(trace, "output_std") == Approx(std::sqrt(squares / static_cast<double>(output.size()))));
}

TEST_CASE("attention-block adds word and position in float32", "[input][tutorials]") {
  const Trace trace = run("embed", "attention-block");
  CHECK(trace.tutorial == "attention-block:2");
  CHECK(trace["X"].shape == Shape{2, 10, 64});
  CHECK_FALSE(trace.has("one_hot")); // ten thousand columns show nothing
  CHECK_FALSE(trace.has("embedded"));
  const Reference reference("attention-block:2");
  CHECK(trace["X"] == *reference.find("X")); // bit for bit
}

TEST_CASE("happy-llm looks up 8, and masks a sentence", "[input][tutorials]") {
  const Trace lookup = run("lookup", "happy-llm");
  CHECK(lookup["given_output"].data[0] == Approx(8).epsilon(1e-14));
  CHECK(lookup["given_weights"] == Tensor({1, 3}, {0.6, 0.4, 0}));
  CHECK(lookup["V"] == Tensor({3, 1}, {10, 5, 2}));
  CHECK(lookup.tutorial == "happy-llm:1");

  const Trace masked = run("masked", "happy-llm:2");
  const Step& mask = *masked.find("mask");
  CHECK(mask.value ==
        Tensor({5, 5}, {1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1}));
  const std::vector<std::string> sentence = {"<BOS>", "I", "like", "you", "<EOS>"};
  CHECK(mask.labels == Labels{sentence, sentence});
  CHECK(masked.find("weights")->labels == Labels{sentence, sentence});
}

TEST_CASE("scaled-dot-product has the tutorial's shapes", "[input][tutorials]") {
  const Trace trace = run("sdpa", "scaled-dot-product");
  CHECK(trace["weights"].shape == Shape{2, 3, 4});
  CHECK(trace["output"].shape == Shape{2, 3, 6});
  CHECK(std::get<std::string>(trace.facts.at("shape_weights")) == "2×3×4");
}

TEST_CASE("the softmax sweep equals NumPy's", "[input][tutorials]") {
  const Experiment sweep = scale_sweep();
  const Reference reference("fun-transformer:1");
  REQUIRE(reference.find("sweep"));
  CHECK(worst_relative(sweep.values, *reference.find("sweep")) <= 1e-12);
  CHECK(sweep.rows == std::vector<std::string>{"d_k 4", "d_k 16", "d_k 64", "d_k 256", "d_k 1024"});
  CHECK(sweep.columns.size() == 5);
}

TEST_CASE("a tutorial is found by id and variant, or refused with what fits", "[input][tutorials]") {
  CHECK(find_run("attention-block", find_lesson("multihead")).variant == 1);
  CHECK(find_run("attention-block:2", find_lesson("multihead")).variant == 2);
  CHECK(find_run("fun-transformer", find_lesson("multihead")).variant == 2);
  CHECK(find_run("fun-transformer", find_lesson("scores")).variant == 1);
  CHECK(find_run("happy-llm", find_lesson("scores")).variant == 2);
  CHECK(find_run("happy-llm", find_lesson("lookup")).variant == 1);
  CHECK(find_run("happy-llm", find_lesson("cross")).variant == 3);
  CHECK(find_run("annotated", find_lesson("embed")).variant == 2);
  CHECK(find_run("attention-block", find_lesson("embed")).variant == 2);
  CHECK(find_run("annotated", find_lesson("block")).variant == 3);
  CHECK_THROWS_AS(find_run("fun-transformer", find_lesson("block")), Error);
  for (const char* name : {"scaled-dot-product", "happy-llm:1", "fun-transformer:3", "fun-tranformer", ""}) {
    INFO(name);
    CHECK_THROWS_AS(find_run(name, find_lesson("words")), Error);
  }
}

TEST_CASE("a lesson's result is computed in it, and what it is about is among it", "[lessons]") {
  for (const Lesson& lesson : lessons()) {
    if (!lesson.run) continue;
    INFO(lesson.command);
    const Trace trace = run_lesson(lesson, {}).trace;
    std::istringstream names(lesson.result);
    bool is_main = false;
    for (std::string name; std::getline(names, name, ',');) {
      INFO(name);
      const Step* step = trace.find(name);
      REQUIRE(step);
      CHECK_FALSE(step->operation.is(op::given));
      is_main |= name == trace.main;
    }
    CHECK(is_main);
  }
}
