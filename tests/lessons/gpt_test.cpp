// Lesson gpt: microgpt's first step cell by cell, its gradients beside PyTorch's, what the checks say of any
// text and any decoder, and what is refused.

#include "core/error.hpp"
#include "io/file.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "model/counts.hpp"
#include "model/shipped.hpp"
#include "model/weights.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"
#include "train/microgpt.hpp"

#include <algorithm>
#include <cmath>

using namespace tfx;
using Catch::Matchers::ContainsSubstring;

namespace {

InputOptions of_text(const std::string& text) {
  InputOptions options;
  options.text = text;
  return options;
}

LessonRun run_of(const InputOptions& options, RunFor purpose = RunFor::values) {
  return run_lesson(find_lesson("gpt"), options, purpose);
}

bool all_pass(const Trace& t) {
  return std::ranges::all_of(t.checks, &Check::pass);
}

InputOptions first_step() {
  InputOptions options;
  options.tutorial = "microgpt";
  return options;
}

} // namespace

TEST_CASE("microgpt's first step has the loss that its blog prints", "[lessons][gpt]") {
  const Trace t = run_of(first_step()).trace;
  CHECK(all_pass(t));
  CHECK(std::abs(t["loss"].data[0] - microgpt_facts().losses[0]) < 5e-5);
  CHECK(t.step_named("tgt").labels[0] == std::vector<std::string>{"<s>", "y", "u", "h", "e", "n", "g"});
  CHECK(t["labels"].data == std::vector<double>{24, 20, 7, 4, 13, 6, 26});
}

TEST_CASE("every gradient of the first step is PyTorch's, and its central differences", "[lessons][gpt]") {
  InputOptions options = first_step();
  options.grad = true;
  const Trace t = run_of(options, RunFor::proof).trace;
  const std::string path = std::string(TFX_SOURCE_DIR) + "/data/reference/lessons/microgpt-1.npz";
  std::size_t compared = 0;
  for (const NamedArray& array : read_npz(read_file(path), path)) {
    if (!array.name.starts_with("gpt.d.")) continue;
    INFO(array.name);
    CHECK(relative_difference(t[array.name.substr(4)], array.array.values) <= 1e-12);
    ++compared;
  }
  CHECK(compared == 9);
  CHECK(t.gradients.size() > 30);
  for (const GradientCheck& check : t.gradients) {
    INFO(check.gradient);
    CHECK(check.largest <= 1e-6);
  }
}

TEST_CASE("what the lesson checks holds of any text that fits, an empty one too", "[lessons][gpt]") {
  for (const char* text : {"", "a", "emma", "zzzz", "xqj", "abcdefghijklmno"}) {
    INFO(text);
    const Trace t = run_of(of_text(text)).trace;
    CHECK(all_pass(t));
    CHECK(t.has("loss") == (std::string(text) != ""));
  }
}

TEST_CASE("a check fails of a run that breaks what it says", "[lessons][gpt]") {
  const Lesson& lesson = find_lesson("gpt");
  LessonInput input = resolve_input(first_step(), lesson);
  input.given.facts["published_loss"] = 3.5;
  const Trace t = lesson.run(input);
  const auto check = std::ranges::find(t.checks, "published_loss", &Check::id);
  REQUIRE(check != t.checks.end());
  CHECK_FALSE(check->pass);
}

TEST_CASE("the blog's documents are read where tokens have letters, as an array without names has none",
          "[lessons][gpt]") {
  const Lesson& lesson = find_lesson("gpt");
  LessonInput input = resolve_input(first_step(), lesson);
  const auto has_steps = [&] {
    const Trace t = lesson.run(input);
    return std::ranges::count(t.experiments, "first_steps", &Experiment::name) == 1;
  };
  CHECK(has_steps());
  for (Step& step : input.given.steps) step.labels = Labels(step.value.rank());
  CHECK_FALSE(has_steps());
}

TEST_CASE("decoders with other parts run too: rotary, gates, groups, tied", "[lessons][gpt]") {
  const TemporaryFolder folder;
  ModelSpec spec = spec_in(shipped_model("microgpt"));
  spec.layers = 2, spec.kv_heads = 2, spec.gated = true, spec.activation = Activation::silu;
  spec.positions = Positions::rotary, spec.tied = true, spec.embedding_norm = false, spec.final_norm = true;
  spec.norm.gain = true;
  Transformer<double> model(spec);
  initialize(model, WeightInit::xavier_uniform, 3);
  const std::string path = folder.path("decoder.safetensors");
  save_model(model, path);
  InputOptions options = of_text("3 1 4 1 5");
  options.model = path;
  const LessonRun run = run_of(options);
  CHECK(all_pass(run.trace));
  CHECK(run.trace.pictured == "decoder.layers.1.self_attn.weights");
}

TEST_CASE("what the lesson cannot take is refused with the reason", "[lessons][gpt]") {
  CHECK_THROWS_WITH(run_of(of_text("abcdefghijklmnop")), ContainsSubstring("17 tokens"));
  CHECK_THROWS_WITH(run_of(of_text("Emma!")), ContainsSubstring("--text"));
  InputOptions other;
  other.model = "reverse";
  CHECK_THROWS_WITH(run_of(other), ContainsSubstring("has an encoder"));
  other.model = "nobody";
  CHECK_THROWS_AS(run_of(other), Error);
}

TEST_CASE("the shipped microgpt writes the blog's names", "[lessons][gpt]") {
  const auto model = load_model<float>(shipped_model("microgpt"));
  CHECK(count_parameters(model) == 4192);
  const MicrogptNames names;
  CHECK(microgpt_samples(model, names.facts(), 42, 20) == microgpt_facts().samples);
}
