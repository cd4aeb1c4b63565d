// Lessons on a trained model's numbers: they are the engine's, and the way to them is recorded.

#include "lessons/known_models.hpp"
#include "lessons/run.hpp"
#include "model/checkpoint.hpp"
#include "model/search.hpp"
#include "model/shipped.hpp"
#include "parity/model_run.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"
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
  ModelSpec spec;
};

EngineRun engine_run(const std::string& name, const std::string& text) {
  const TensorFile file = model_file(name);
  const auto model = load_model<double>(file);
  const ModelCard card = card_or_ids(file, model.spec);
  const Batch src = ragged_batch({card.src.encode(text)});
  const std::size_t longest = card.max_tokens > 1 ? card.max_tokens - 1 : src.ids.size();
  TokenIds tgt = greedy(model, src, {card.start, card.end, longest}).front();
  tgt.insert(tgt.begin(), card.start);
  ActivationRecorder<double> recorder([](const std::string&) { return true; });
  forward(model, {src, ragged_batch({tgt})}, ForwardContext<double>{&recorder});
  EngineRun run{{}, model.spec};
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
  for (std::size_t layer = 0; layer < engine.spec.layers; ++layer) {
    const std::string encoder = "encoder.layers." + std::to_string(layer),
                      decoder = "decoder.layers." + std::to_string(layer);
    compare("multihead", lesson_on("multihead", model, text, layer)["output"],
            of.at(encoder + ".self_attn.output"));
    compare("block", lesson_on("block", model, text, layer)["output"], of.at(encoder + ".sublayer.1.output"));
    for (std::size_t head = 0; head < engine.spec.heads; ++head) {
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
    compare_every_head(name, short_example(card_or_ids(file, spec_in(file))));
  }
  const TemporaryFolder folder;
  for (const NormPlacement placement : {NormPlacement::pre_norm, NormPlacement::post_norm}) {
    ModelSpec spec = small_spec();
    spec.activation = placement == NormPlacement::pre_norm ? Activation::gelu : Activation::relu;
    spec.norm.placement = placement;
    const std::string path = folder.path("small.safetensors");
    save_model(small_model<double>(9, spec), path);
    compare_every_head(path, "3 1 4 1 5");
  }
  for (const char* torch : {"torch-first", "torch-last"}) // its names, and the style in the metadata
    compare_every_head(
        std::string(TFX_SOURCE_DIR) + "/data/reference/model/" + torch + ".weights.safetensors", "3 1 4 1 5");
}

TEST_CASE("a state_dict that says no style runs in every lesson as the options say it",
          "[lessons][trained]") {
  const TemporaryFolder folder;
  ModelSpec spec = small_spec();
  spec.norm = {Norm::layer, NormPlacement::post_norm}, spec.activation = Activation::gelu;
  const auto model = small_model<double>(5, spec);
  const std::string silent = folder.path("small.npz"), speaking = folder.path("small.safetensors");
  save_model(model, silent), save_model(model, speaking);
  for (const Lesson& lesson : page_lessons()) {
    if (!lesson.from_model || reads_decoder_alone(lesson)) continue;
    INFO(lesson.command);
    InputOptions options;
    options.model = silent, options.text = "3 1 4 1 5";
    CHECK_THROWS_WITH(run_lesson(lesson, options), Catch::Matchers::ContainsSubstring("how many heads"));
    options.heads = spec.heads;
    const LessonRun assumed = run_lesson(lesson, options);
    REQUIRE(assumed.notes.size() == 1);
    CHECK(assumed.notes[0].find("--norm annotated --norm-first --activation relu") != std::string::npos);
    options.norm = Norm::layer, options.norm_first = false;
    options.activation = Activation::gelu;
    const LessonRun told = run_lesson(lesson, options);
    CHECK(told.notes.empty());
    const Trace right = lesson_on(lesson.command, speaking, "3 1 4 1 5");
    CHECK(told.trace[right.main].data == right[right.main].data);
    const bool computes = takes<Input::W_QKV, Input::answer>(lesson);
    CHECK((assumed.trace[right.main].data == right[right.main].data) != computes);
    options.model = speaking; // it says its style, and nobody else does
    CHECK_THROWS_WITH(run_lesson(lesson, options),
                      Catch::Matchers::ContainsSubstring("--heads does not apply"));
  }
}

TEST_CASE("lessons on a model hold their checks, count their own parameters, and name the words",
          "[lessons][trained]") {
  for (const Lesson& lesson : page_lessons()) {
    if (!lesson.from_model || reads_decoder_alone(lesson)) continue;
    for (const std::string& name : shipped_models()) {
      INFO(lesson.command << " on " << name);
      InputOptions options;
      options.model = name;
      const Trace trace = run_lesson(lesson, options).trace;
      CHECK(std::ranges::all_of(trace.checks, &Check::pass));
      for (const Step& step : trace.steps) {
        CHECK_FALSE(step.is_drawn());
        if (lesson.takes(Input::answer)) continue; // its steps are of the model's places, by their names
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

TEST_CASE("neighbours of a word are those of largest cosine in the whole table, and cells of the run",
          "[lessons][trained]") {
  const std::string text = "star";
  const Trace run = lesson_on("words", "reverse", text);
  const TensorFile file = model_file("reverse");
  const auto model = load_model<double>(file);
  const ModelCard card = card_or_ids(file, model.spec);
  const arma::mat table = model.src_embed.lut; // d × vocabulary
  const Experiment& said = run.experiments.front();
  REQUIRE(said.name == "neighbours");
  REQUIRE(said.rows.size() == 4 * 5);
  const std::vector<std::string>& near = run.step_named("near").labels[0];
  for (std::size_t i = 0; i < said.rows.size(); ++i) {
    INFO(said.rows[i]);
    const std::uint32_t word = card.src.encode(text)[i / 5];
    const arma::vec x = table.col(word);
    std::vector<std::pair<double, std::uint32_t>> cosines; // a plain search, sorted whole
    std::vector<double> distances;
    for (std::uint32_t id = 3; id < card.src.size(); ++id) {
      if (id == word) continue;
      const arma::vec y = table.col(id);
      cosines.emplace_back(-arma::dot(x, y) / arma::norm(x) / arma::norm(y), id);
      distances.push_back(arma::norm(x - y));
    }
    std::ranges::sort(cosines);
    const auto [cosine, id] = cosines[i % 5];
    const double distance = arma::norm(x - arma::vec(table.col(id)));
    CHECK(said.rows[i] == card.src.tokens[word] + " → " + card.src.tokens[id]);
    CHECK(said.values.data[3 * i] == Approx(-cosine));
    CHECK(said.values.data[3 * i + 1] == Approx(distance));
    CHECK(said.values.data[3 * i + 2] ==
          1.0 + static_cast<double>(
                    std::ranges::count_if(distances, [&](double one) { return one < distance - 1e-12; })));
    const auto place = [&](std::uint32_t one) {
      return static_cast<std::size_t>(std::ranges::find(near, card.src.tokens[one]) - near.begin());
    };
    CHECK(run["near_cosines"].data[place(word) * near.size() + place(id)] == Approx(-cosine));
    CHECK(run["near_distances"].data[place(word) * near.size() + place(id)] == Approx(distance));
  }
}

TEST_CASE("a lesson on one head says what it looks at in the text", "[lessons][trained][roles]") {
  const Trace run = lesson_on("cross", "reverse", "star", 1, 1); // reads from behind
  const Tensor& weights = run["weights"];
  const std::size_t n = weights.shape.back();
  double mirrored = 0;
  for (std::size_t i = 0; i < n; ++i) mirrored += weights.data[i * n + n - 1 - i] / static_cast<double>(n);
  REQUIRE(run.facts.contains("trained_role"));
  CHECK(std::get<double>(run.facts.at("trained_weight")) == Approx(mirrored));
  CHECK(std::get<double>(run.facts.at("trained_uniform")) == Approx(1 / static_cast<double>(n)));
  const auto roles = lesson_on("multihead", "reverse", "star").facts.at("trained_roles");
  CHECK(std::get<std::vector<std::string>>(roles).size() == 4);
  CHECK(std::get<std::string>(run.facts.at("trained_start")) == "<s>"); // the row that writes r
  CHECK(std::get<std::string>(run.facts.at("trained_first")) == "r");
}

TEST_CASE("gradients on the way to X are the model's: they are there, and on no page", "[lessons][trained]") {
  InputOptions options;
  options.model = "reverse", options.text = "star", options.grad = true;
  const Trace run = run_lesson(find_lesson("attention"), options).trace;
  CHECK(run.step_named("dX").role == Role::gradient);
  CHECK(run.step_named("dW_Q").role == Role::gradient);
  CHECK(run.step_named("d.src_embed.0.lut.weight").role == Role::before);
  for (const Step& step : run.steps)
    if (step.name.starts_with("d.")) CHECK(step.role == Role::before);
}
