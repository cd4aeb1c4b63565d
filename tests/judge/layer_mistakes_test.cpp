// Mistakes around the attention: each gives NumPy's and PyTorch's numbers
// (data/reference/layer_mistakes.npz), each is noticed by a property, and each property notices one.

#include "judge/property_lists.hpp"
#include "judge/wrong_run.hpp"
#include "lessons/run.hpp"
#include "property_outcome.hpp"
#include "support/catch.hpp"
#include "support/lesson_cases.hpp"
#include "support/mistake_reference.hpp"

#include <algorithm>
#include <iterator>
#include <set>

using namespace tfx;

namespace {

// The words that the reference's loss reads, and its vocabulary.
void name_words(LessonInput& input) {
  for (Step& step : input.given.steps) {
    if (step.name == "labels") step.labels = {{"a", "b", "c", "a"}};
    if (step.name == "W_O") step.labels = {{}, {"<pad>", "a", "b", "c", "d"}};
  }
}

const Lesson& lesson_of(const std::string& run) {
  if (run == "adamw") return find_lesson("train");
  if (run == "slower") return find_lesson("rope");
  if (run == "windowed") return find_lesson("modern");
  if (run == "smoothed" || run == "square") return find_lesson("loss");
  const Lesson* lesson = lesson_named(run);
  return lesson ? *lesson : find_lesson("block");
}

void make_block_since_2017(LessonInput& input, std::size_t window) {
  input.heads = 4, input.kv_heads = 2, input.window = window;
  input.norm = Norm::rms, input.activation = Activation::silu, input.pairs = RotaryPairs::halves;
}

Trace run_on_numpys_input(const std::string& run, LessonInput input) {
  const Lesson& lesson = lesson_of(run);
  if (run == "loss") name_words(input);
  for (Step& step : input.given.steps) // NumPy's file does not say what is learned
    if (step.name.starts_with("W_")) step.role = Role::parameter;
  input.causal = lesson.takes(Input::labels);
  if (run == "adamw") input.optimizer = Optimizer::adamw, input.optimizer_step.decay = 0.3;
  input.heads = lesson.takes(Input::feed_forward) ? 2 : 1;
  input.norm = run == "standard" ? Norm::layer : Norm::annotated;
  input.dropout = run == "dropped" ? 1.0 / 3 : 0;
  input.smoothing = run == "smoothed" ? 0.3 : 0;
  if (run == "slower") input.rotary_base = 500'000;
  if (lesson.takes(Input::todays_block)) make_block_since_2017(input, run == "windowed" ? 2 : 0);
  return lesson.run(input);
}

bool around_attention(const Mistake& mistake) {
  return !is_about_attention(mistake) && mistake.folder != "lessons/model" &&
         mistake.folder != "lessons/gpt" && mistake.folder != "lessons/lens" &&
         mistake.folder != "lessons/induction";
}

std::vector<Property> around_attention() {
  std::vector<Property> all;
  for (const auto& some : {embedding_properties, rotary_properties, block_properties, layer_properties,
                           norm_properties, loss_properties, gradient_properties, training_properties,
                           choice_properties, decoding_properties, count_properties, subword_properties})
    std::ranges::move(some(), std::back_inserter(all));
  return all;
}

struct InputCase {
  std::string name;
  const Lesson* lesson;
  LessonInput input;
};

// Every run of every tutorial, the learner's own inputs, every kind of layer and loss, cache and decode.
std::vector<InputCase> cases_around(const TemporaryFolder& folder) {
  std::vector<LessonCase> lesson_cases = tutorial_cases();
  std::ranges::move(own_cases(folder), std::back_inserter(lesson_cases));
  std::vector<InputCase> cases;
  for (const LessonCase& one : lesson_cases)
    if (one.lesson->number >= find_lesson("block").number || one.lesson->command == "embed" ||
        one.lesson->command == "bpe")
      cases.push_back({one.name, one.lesson, resolve_input(one.options, *one.lesson)});
  const Lesson& block = find_lesson("block");
  for (const Norm rule : {Norm::annotated, Norm::layer})
    for (const bool first : {true, false}) {
      InputOptions options;
      options.d_model = 4, options.dropout = 0.4, options.norm = rule, options.norm_first = first;
      cases.push_back({first ? "block, first" : "block, last", &block, resolve_input(options, block)});
      for (Step& step : cases.back().input.given.steps) // other than ones and zeros
        if (step.value.shape == Shape{4})
          for (std::size_t i = 0; i < 4; ++i) step.value.data[i] += 0.25 * static_cast<double>(i + 1);
      options.dropout = 0;
      cases.push_back({"block in prediction", &block, resolve_input(options, block)});
    }
  InputOptions smoothed;
  smoothed.text = "a b c", smoothed.smoothing = 0.2;
  cases.push_back({"loss, smoothed", &find_lesson("loss"), resolve_input(smoothed, find_lesson("loss"))});
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adamw}) {
    InputOptions options;
    options.text = "a b c a", options.optimizer = optimizer;
    cases.push_back({"train", &find_lesson("train"), resolve_input(options, find_lesson("train"))});
  }
  cases.push_back({"params", &find_lesson("params"), resolve_input({}, find_lesson("params"))});
  for (std::uint32_t seed = 0; seed < 8; ++seed)
    for (const char* command : {"decode", "cache"}) {
      const Lesson& lesson = find_lesson(command);
      InputOptions options;
      options.seed = seed;
      if (lesson.takes(Input::cache) && seed % 2) options.text = "to be or not to be";
      cases.push_back({command, &lesson, resolve_input(options, lesson)});
    }
  return cases;
}

// Where the properties' own inputs differ.
std::string kind_of(const Lesson& lesson, const LessonInput& input) {
  if (!lesson.takes(Input::feed_forward))
    return lesson.command + (input.has("position_embedding") ? ", learned" : "") +
           (input.pairs == RotaryPairs::halves ? ", halves" : "") +
           (input.optimizer == Optimizer::adamw ? ", adamw"
            : input.optimizer == Optimizer::sgd ? ", sgd"
                                                : "");
  return std::string("block, ") + (input.norm_first ? "first" : "last") +
         (input.norm == Norm::layer ? ", standard" : "");
}

} // namespace

TEST_CASE("around the attention a wrong run's numbers are NumPy's and PyTorch's", "[judge][mistakes]") {
  const std::set<std::string> compared = compare_with_numpy("layer_mistakes.npz", run_on_numpys_input);
  for (const Mistake& mistake : mistakes())
    if (around_attention(mistake)) {
      INFO(mistake.id);
      CHECK(compared.contains(mistake.id));
    }
}

TEST_CASE("every property around the attention holds of the right computation", "[judge][mistakes]") {
  const TemporaryFolder folder;
  const std::vector<InputCase> cases = cases_around(folder);
  CHECK(cases.size() >= 50);
  std::set<std::string> seen; // their inputs are their own: they depend on the kind of lesson alone
  for (const InputCase& one : cases) {
    if (!seen.insert(kind_of(*one.lesson, one.input)).second) continue;
    for (const Property& property : properties()) {
      INFO(one.name << ": " << property.id);
      CHECK_FALSE(missed(property, *one.lesson, one.input, {}));
    }
  }
}

TEST_CASE("every mistake around the attention is noticed wherever it changes something",
          "[judge][mistakes][repeats]") {
  const TemporaryFolder folder;
  const std::vector<InputCase> cases = cases_around(folder);
  std::vector<Trace> right;
  for (const InputCase& one : cases) right.push_back(one.lesson->run(one.input));
  std::set<std::string> noticing;
  for (const Mistake& mistake : mistakes()) {
    if (!around_attention(mistake)) continue;
    INFO(mistake.id);
    std::set<std::string> seen;
    bool shows = mistake.id == "loss.no_max" || mistake.id == "norm.no_eps"; // on no ordinary numbers
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const WrongRun run = run_wrong(right[i], {&mistake});
      if (run.changed.empty() && !run.stops) continue;
      shows = true;
      if (!seen.insert(kind_of(*cases[i].lesson, cases[i].input)).second) continue;
      INFO(cases[i].name);
      bool noticed = false;
      for (const Property& property : around_attention())
        if (missed(property, *cases[i].lesson, cases[i].input, {&mistake}))
          noticed = true, noticing.insert(property.id);
      CHECK(noticed);
    }
    CHECK(shows);
  }
  for (const Property& property : around_attention()) {
    INFO(property.id);
    CHECK(noticing.contains(property.id));
  }
}

TEST_CASE("naive logarithms of large logits overflow, and are noticed", "[judge][mistakes]") {
  LessonInput input;
  input.given.add_input("logits", "", Tensor({2, 3}, {1000, 0, 0, -1000, 1, 2}), {{}, {}});
  input.given.add_input("labels", "", Tensor({2}, {1, 2}), {{}});
  input.given.add_input("pad_id", "", Tensor({}, {0}), {});
  const Lesson& loss = find_lesson("loss");
  const WrongRun run = run_wrong(loss.run(input), {find_mistake("loss.no_max")});
  CHECK(std::ranges::count(run.changed, "log_probs") == 1);
  CHECK_FALSE(matrix(run.trace["log_probs"]).is_finite());
  const auto all = loss_properties();
  const auto shift = std::ranges::find(all, "log_probs_shift", &Property::id);
  REQUIRE(shift != all.end());
  CHECK(missed(*shift, loss, input, {find_mistake("loss.no_max")}));
}

TEST_CASE("mistakes around the attention that cannot show change nothing", "[judge][mistakes]") {
  const auto changed = [](const std::string& lesson, const InputOptions& options,
                          const std::string& mistake) {
    return run_wrong(run_lesson(find_lesson(lesson), options).trace, {find_mistake(mistake)}).changed;
  };
  InputOptions gained; // gains of 1 and shifts and biases of 0
  gained.d_model = 4;
  for (const char* id : {"norm.gain_first", "norm.no_gain", "feed_forward.no_bias", "dropout.no_rescale",
                         "norm.sample_variance", "norm.eps_outside"}) {
    INFO(id);
    CHECK(changed("block", gained, id).empty());
  }
  gained.norm_first = false;
  for (const char* id : {"norm.post_for_pre", "norm.queries_only", "residual.of_norm"}) {
    INFO(id);
    CHECK(changed("block", gained, id).empty());
  }
  CHECK(changed("loss", {}, "loss.smoothed_over_all").empty());
  InputOptions half;
  half.d_model = 4, half.dropout = 0.5;
  CHECK(changed("block", half, "dropout.rescaled_by_rate").empty());
}
