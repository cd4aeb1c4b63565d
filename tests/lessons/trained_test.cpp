// Lessons on a trained model's numbers: they are the engine's, and the way to them is recorded.

#include "lessons/run.hpp"
#include "lessons/trained.hpp"
#include "model/checkpoint.hpp"
#include "model/search.hpp"
#include "model/shipped.hpp"
#include "parity/recorder.hpp"
#include "support/catch.hpp"
#include "support/small_model.hpp"
#include "support/temporary_folder.hpp"
#include "trace/checks.hpp"
#include "trace/explain.hpp"

#include <algorithm>
#include <map>
#include <set>

using namespace tfx;

namespace {

/// Everything that the engine reports while it reads a text and its own greedy answer.
struct EngineRun {
  std::map<std::string, Tensor> activations;
  Config config;
};

EngineRun engine_run(const std::string& name, const std::string& text) {
  const TensorFile file = model_file(name);
  const auto model = load_model<double>(file);
  const ModelCard card = card_or_ids(file, model.config);
  const Batch src = ragged_batch({card.src.encode(text)});
  const std::size_t longest = card.max_tokens > 1 ? card.max_tokens - 1 : src.ids.size();
  TokenIds tgt = greedy(model, src, {card.start, card.end, longest}).front();
  tgt.insert(tgt.begin(), card.start);
  ActivationRecorder<double> recorder([](const std::string&) { return true; });
  forward(model, src, ragged_batch({tgt}), ForwardContext<double>{&recorder});
  EngineRun run{{}, model.config};
  for (auto& [activation, value] : recorder.take()) run.activations.emplace(activation, std::move(value));
  return run;
}

Tensor head_of(const Tensor& heads, std::size_t head) {
  Shape shape(heads.shape.end() - 2, heads.shape.end());
  const std::size_t cells = shape[0] * shape[1];
  const auto begin = heads.data.begin() + static_cast<std::ptrdiff_t>(head * cells);
  return Tensor(std::move(shape), std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(cells)));
}

Trace lesson_on(const std::string& command, const std::string& model, const std::string& text,
                std::optional<std::size_t> layer = {}, std::optional<std::size_t> head = {}) {
  InputOptions options;
  options.model = model, options.text = text, options.layer = layer, options.head = head;
  return run_lesson(find_lesson(command), options).trace;
}

void compare(const std::string& what, const Tensor& page, const Tensor& engine) {
  INFO(what);
  CHECK(relative_difference(page, engine) < 1e-11);
}

void compare_every_head(const std::string& model, const std::string& text) {
  const EngineRun engine = engine_run(model, text);
  const auto& of = engine.activations;
  compare("embed", lesson_on("embed", model, text)["X"], of.at("src_embed"));
  for (std::size_t layer = 0; layer < engine.config.layers; ++layer) {
    const std::string encoder = "encoder.layers." + std::to_string(layer),
                      decoder = "decoder.layers." + std::to_string(layer);
    compare("multihead", lesson_on("multihead", model, text, layer)["output"],
            of.at(encoder + ".self_attn.output"));
    compare("block", lesson_on("block", model, text, layer)["output"], of.at(encoder + ".sublayer.1.output"));
    for (std::size_t head = 0; head < engine.config.heads; ++head) {
      INFO(model << " " << layer << " " << head);
      const auto weights = [&](const std::string& place) { return head_of(of.at(place + ".weights"), head); };
      compare("softmax", lesson_on("softmax", model, text, layer, head)["weights"],
              weights(encoder + ".self_attn"));
      compare("masked", lesson_on("masked", model, text, layer, head)["weights"],
              weights(decoder + ".self_attn"));
      compare("cross", lesson_on("cross", model, text, layer, head)["weights"],
              weights(decoder + ".src_attn"));
      const arma::mat mixed =
          matrix(weights(decoder + ".self_attn")) * matrix(head_of(of.at(decoder + ".self_attn.V"), head));
      compare("cache", lesson_on("cache", model, text, layer, head)["output"], to_tensor(mixed));
    }
  }
}

} // namespace

TEST_CASE("lessons on a model have the engine's numbers, in every layer and head", "[lessons][trained]") {
  for (const std::string& name : shipped_models()) {
    const TensorFile file = shipped_model(name);
    compare_every_head(name, short_example(card_or_ids(file, config_in(file))));
  }
  const TemporaryFolder folder;
  for (const NormPlacement placement : {NormPlacement::pre_norm, NormPlacement::post_norm}) {
    Config config = small_config();
    config.activation = placement == NormPlacement::pre_norm ? Activation::gelu : Activation::relu;
    config.norm.placement = placement;
    const std::string path = folder.path("small.safetensors");
    save_model(small_model<double>(9, config), path);
    compare_every_head(path, "3 1 4 1 5");
  }
}

TEST_CASE("lessons on a model hold their checks, count their own parameters, and name the words",
          "[lessons][trained]") {
  for (const Lesson& lesson : page_lessons()) {
    if (!lesson.from_model) continue;
    for (const std::string& name : shipped_models()) {
      INFO(lesson.command << " on " << name);
      InputOptions options;
      options.model = name;
      const Trace trace = run_lesson(lesson, options).trace;
      CHECK(std::ranges::all_of(trace.checks, &Check::pass));
      for (const Step& step : trace.steps) {
        CHECK_FALSE(step.is_drawn());
        CHECK((step.name.find('.') == std::string::npos || step.role == Role::before ||
               step.role == Role::gradient));
      }
      CHECK(std::get<std::string>(trace.facts.at("trained")) == name);
    }
  }
  const Trace scores = lesson_on("scores", "reverse", "star");
  CHECK(scores.step_named("scores").labels[1] == std::vector<std::string>{"s", "t", "a", "r"});
}

TEST_CASE("a cell of a lesson on a model goes back to the table of words", "[lessons][trained]") {
  const Trace scores = lesson_on("scores", "reverse", "star");
  // Whoever reads back from the scores, step by step, comes to the model's table and the text.
  std::set<std::string> seen{"scores"};
  for (auto step = scores.steps.rbegin(); step != scores.steps.rend(); ++step)
    if (seen.contains(step->name)) seen.insert(step->operation.inputs.begin(), step->operation.inputs.end());
  CHECK(seen.contains("src"));
  CHECK(seen.contains("src_embed.0.lut.weight"));
  CHECK(seen.size() == scores.steps.size()); // and nothing else was carried along
}

TEST_CASE("a text goes to a model that knows all of its tokens", "[lessons][trained]") {
  CHECK(model_that_reads("star") == "reverse");
  CHECK(model_that_reads("forty-two") == "numbers-zh");
  CHECK_FALSE(model_that_reads("\u72d0\u72f8"));
}
