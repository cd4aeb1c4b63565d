// What the command line offers to every lesson: each option takes part in the computation, is refused, or is
// said not to be used. None is taken in silence.

#include "input/options.hpp"

#include "core/error.hpp"
#include "io/npy.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"
#include "support/random_input.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace tfx;

namespace {

using Setting = std::function<void(InputOptions&)>;

struct Sample {
  std::string option;
  Setting set;
};

Tensor drawn(const Shape& shape, std::uint32_t seed) {
  RandomInput random(seed);
  Tensor tensor(shape);
  for (double& cell : tensor.data) cell = random.number(3);
  return tensor;
}

/// Every option with a value that is not what holds without it.
std::vector<Sample> samples(const TemporaryFolder& folder) {
  const auto file = [&](const std::string& name, const Shape& shape, std::uint32_t seed) {
    return folder.write(name, write_npy(drawn(shape, seed)));
  };
  const std::string x = file("x.npy", {4, 4}, 1), q = file("q.npy", {4, 4}, 2), k = file("k.npy", {4, 4}, 3),
                    v = file("v.npy", {4, 4}, 4), memory = file("memory.npy", {6, 4}, 5),
                    logits = file("logits.npy", {4, 6}, 6),
                    words = folder.write("words.csv", "a,1,2,0,1\nb,0,1,2,1\nc,1,1,1,0\nd,2,0,1,1\n"),
                    mask = folder.write("mask.npy", write_npy(Tensor({4, 4}, {1, 0, 1, 1, 1, 1, 0, 0, //
                                                                              0, 1, 1, 1, 0, 1, 0, 1})));
  const Tensor W = drawn({4, 4}, 7), table = drawn({4, 4}, 8);
  const std::string weights = folder.write(
      "weights.npz", write_npz({{"W_Q", &W}, {"W_K", &W}, {"W_V", &W}, {"token_embedding", &table}}));
  return {{"--tutorial", [](auto& o) { o.tutorial = "annotated"; }},
          {"--text", [](auto& o) { o.text = "a b a"; }},
          {"--words", [=](auto& o) { o.words = words; }},
          {"--x", [=](auto& o) { o.x = x; }},
          {"--q", [=](auto& o) { o.q = q; }},
          {"--k", [=](auto& o) { o.k = k; }},
          {"--v", [=](auto& o) { o.v = v; }},
          {"--mask", [=](auto& o) { o.mask = mask; }},
          {"--weights", [=](auto& o) { o.weights = weights; }},
          {"--d-model", [](auto& o) { o.d_model = 6; }},
          {"--heads", [](auto& o) { o.heads = 4; }},
          {"--batch", [](auto& o) { o.batch = 2; }},
          {"--n-q", [](auto& o) { o.n_q = 3; }},
          {"--n-k", [](auto& o) { o.n_k = 3; }},
          {"--d-k", [](auto& o) { o.d_k = 3; }},
          {"--d-v", [](auto& o) { o.d_v = 3; }},
          {"--seed", [](auto& o) { o.seed = 7; }},
          {"--init", [](auto& o) { o.init = Init::randint; }},
          {"--causal", [](auto& o) { o.causal = true; }},
          {"--pad", [](auto& o) { o.pad = 1; }},
          {"--on-masked-row", [](auto& o) { o.masked_row = FullyMaskedRow::error; }},
          {"--grad", [](auto& o) { o.grad = true; }},
          {"--memory", [=](auto& o) { o.memory = memory; }},
          {"--logits", [=](auto& o) { o.logits = logits; }},
          {"--labels",
           [](auto& o) {
             o.labels = {{1, 2, 3, 1}};
           }},
          {"--smoothing", [](auto& o) { o.smoothing = 0.1; }},
          {"--pad-id", [](auto& o) { o.pad_id = 1; }},
          {"--optimizer", [](auto& o) { o.optimizer = Optimizer::sgd; }},
          {"--lr", [](auto& o) { o.learning_rate = 0.5; }},
          {"--weight-decay", [](auto& o) { o.weight_decay = 0.5; }},
          {"--temperature", [](auto& o) { o.temperature = 1.5; }},
          {"--top-k", [](auto& o) { o.top_k = 2; }},
          {"--top-p", [](auto& o) { o.top_p = 0.3; }},
          {"--merges", [](auto& o) { o.merges = 2; }},
          {"--word", [](auto& o) { o.word = "low"; }},
          {"--d-ff", [](auto& o) { o.d_ff = 5; }},
          {"--layers", [](auto& o) { o.layers = 2; }},
          {"--vocab", [](auto& o) { o.vocab = 13; }},
          {"--seq", [](auto& o) { o.seq = 5; }},
          {"--norm", [](auto& o) { o.norm = Norm::layer; }},
          {"--norm-eps", [](auto& o) { o.epsilon = 1e-3; }},
          {"--norm-last", [](auto& o) { o.norm_first = false; }},
          {"--dropout", [](auto& o) { o.dropout = 0.5; }}};
}

/// What an option may have a use beside: a tutorial's data, one's own words, given rows, masks.
std::vector<Setting> surroundings(const std::vector<Sample>& all) {
  std::vector<Setting> list = {[](auto&) {}, [](auto& o) { o.text = "a b c d", o.pad = 4; },
                               [](auto& o) { o.n_q = 4, o.n_k = 4, o.pad = 4; },
                               [](auto& o) { o.text = "a b c d", o.pad = 1; },
                               [](auto& o) {
                                 o.text = "a b c d", o.pad = 4;
                                 o.labels = {{1, 2, 3, 1}};
                               }};
  list.push_back([](auto& o) { o.text = "abcd"; }), list.push_back([](auto& o) { o.model = "microgpt"; });
  for (const char* option : {"--d-model", "--batch", "--x", "--q", "--k", "--v", "--layers", "--vocab"})
    list.push_back(std::ranges::find(all, option, &Sample::option)->set);
  list.push_back([](auto& o) { o.temperature = 0.7; }), list.push_back([](auto& o) { o.top_k = 7; });
  list.push_back([](auto& o) { o.merges = 3; }), list.push_back([](auto& o) { o.word = "newer"; });
  return list;
}

/// The run as text; the refusal where there is none.
std::string outcome(const Lesson& lesson, const InputOptions& options) {
  std::string text;
  try {
    const LessonRun run = run_lesson(lesson, options);
    for (const std::string& note : run.notes) text += note + "\n";
    for (const Step& step : run.trace.steps) {
      text += step.name + " " + to_string(step.value.shape);
      text.append(reinterpret_cast<const char*>(step.value.data.data()), step.value.size() * sizeof(double));
    }
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) FAIL(lesson.command << ": " << error.what());
    text = std::string("refused: ") + error.what();
  }
  return text;
}

/// A lesson in each of the surroundings where it runs, and what comes of it.
std::vector<std::pair<InputOptions, std::string>> runs_of(const Lesson& lesson,
                                                          const std::vector<Setting>& surroundings) {
  std::vector<std::pair<InputOptions, std::string>> runs;
  for (const Setting& surrounding : surroundings) {
    InputOptions options;
    surrounding(options);
    if (!lesson.masks()) options.pad = 0; // else every run says that it uses no mask
    std::string text = outcome(lesson, options);
    if (!text.starts_with("refused")) runs.emplace_back(std::move(options), std::move(text));
  }
  return runs;
}

/// In how many of them something else comes of it with the option.
std::size_t noticed(const Lesson& lesson, const Sample& sample,
                    const std::vector<std::pair<InputOptions, std::string>>& runs) {
  return static_cast<std::size_t>(std::ranges::count_if(runs, [&](const auto& run) {
    InputOptions options = run.first;
    sample.set(options);
    return outcome(lesson, options) != run.second;
  }));
}

bool is_reader(const Sample& sample, const Lesson& lesson) {
  InputOptions options;
  sample.set(options);
  return !first_unfit(input_options(), options, InputRules(lesson));
}

std::vector<std::string> given(const InputOptions& options) {
  std::vector<std::string> names;
  for (const auto& row : input_options())
    if (row.given(options)) names.push_back(row.name);
  return names;
}

/// What is read of the options as they would be typed again.
InputOptions read_back(const InputOptions& options) {
  InputOptions again;
  for (const auto& row : input_options())
    if (const auto value = row.given(options)) row.read(again, *value);
  CHECK(typed_again(input_options(), again) == typed_again(input_options(), options));
  return again;
}

} // namespace

TEST_CASE("every option has its name, and is given where it differs from what holds without it", "[input]") {
  CHECK(given({}).empty());
  const TemporaryFolder folder;
  InputOptions everything;
  for (const Sample& sample : samples(folder)) {
    InputOptions options;
    sample.set(options), sample.set(everything);
    INFO(sample.option);
    CHECK(given(options) == std::vector{sample.option});
    CHECK(given(read_back(options)) == std::vector{sample.option});
  }
  CHECK(given(everything).size() == samples(folder).size());
  InputOptions nothing;
  nothing.pad = 0, nothing.norm_first = true;
  CHECK(given(nothing) == std::vector<std::string>{"--norm-first"});
}

TEST_CASE("a lesson reads an option, refuses it, or says that it does not use it", "[input]") {
  const TemporaryFolder folder;
  const std::vector<Sample> all = samples(folder);
  const std::vector<Setting> where = surroundings(all);
  for (const Lesson& lesson : page_lessons()) {
    const auto runs = runs_of(lesson, where);
    CHECK(runs.size() > 2);
    for (const Sample& sample : all) {
      if (lesson.takes(Input::labels) && sample.option == "--grad") continue; // it always has gradients
      INFO(lesson.command << " " << sample.option);
      const std::size_t times = noticed(lesson, sample, runs);
      if (is_reader(sample, lesson))
        CHECK(times > 0);
      else
        CHECK(times == runs.size());
    }
  }
}

TEST_CASE("a step of decoding reads its choices, a cache tokens and sizes", "[input]") {
  const TemporaryFolder folder;
  std::map<std::string, std::set<std::string>> read;
  for (const char* command : {"decode", "cache"})
    for (const Sample& sample : samples(folder))
      if (is_reader(sample, find_lesson(command))) read[command].insert(sample.option);
  CHECK(read["decode"] == std::set<std::string>{"--logits", "--seed", "--temperature", "--top-k", "--top-p"});
  CHECK(read["cache"].size() == 13);
  CHECK_FALSE(read["cache"].contains("--causal"));
}

TEST_CASE("what holds without an option changes nothing where it is given", "[input]") {
  std::set<std::string> given;
  for (const Lesson& lesson : page_lessons()) {
    const LessonInput without = resolve_input({}, lesson);
    const Trace run = lesson.run(without);
    for (const auto& row : input_options()) {
      if (!row.usual || !row.is_usual(*row.usual, lesson)) continue;
      if (row.name == "--head" || row.name == "--weight-decay" || row.name == "--dropout-at")
        continue; // beside others alone
      INFO(lesson.command << " " << row.name << " " << *row.usual);
      InputOptions options;
      row.read(options, *row.usual);
      if (first_unfit(input_options(), options, InputRules(lesson))) continue;
      if (row.name == "--seed" && without.given.numpy.empty()) continue; // nothing is drawn
      const LessonInput input = resolve_input(options, lesson);
      CHECK(input.reference == without.reference);
      const Trace same = lesson.run(input);
      REQUIRE(same.steps.size() == run.steps.size());
      for (std::size_t i = 0; i < run.steps.size(); ++i) CHECK(same.steps[i].value == run.steps[i].value);
      given.insert(row.name);
    }
  }
  CHECK(given.size() == 16);
}
