// The series of the exercises: the right solution passes every case, each mistake of the catalogue fails at
// least one.

#include "exercise/grading.hpp"
#include "exercise/model_exercise.hpp"
#include "io/npz.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/run.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <set>

using namespace tfx;

namespace {

// What a program returns whose run of a case is `run`; `which` of results and stages.
void add_returned(std::vector<NamedArray>& returned, const Case& one, const Trace& run,
                  const std::vector<Slot>& which) {
  for (const Slot& slot : which)
    if (const Step* step = run.find(slot.name))
      returned.push_back({one.rule->id + "/" + slot.name, {DType::f64, step->value}});
}

struct MadeMistake {
  Grading with_stages, results_alone;
  bool made = false, changes = false, stops = false;
};

// A learner who makes the mistake in every case.
MadeMistake make(const Mistake& mistake, const Exercise& exercise, const std::vector<Case>& series) {
  MadeMistake made;
  std::vector<NamedArray> all, results;
  for (const Case& one : series) {
    const WrongRun run = run_wrong(one.run, {&mistake});
    const bool possible = !run.made.empty() || run.stops;
    made.made |= possible;
    made.stops |= possible && run.stops;
    made.changes |= possible && !run.changed.empty();
    add_returned(all, one, run.trace, exercise.results),
        add_returned(results, one, run.trace, exercise.results);
    add_returned(all, one, run.trace, exercise.stages);
  }
  made.with_stages = graded(exercise, series, all), made.results_alone = graded(exercise, series, results);
  return made;
}

} // namespace

TEST_CASE("every lesson with a run has an exercise, whose right solution passes", "[exercise]") {
  std::vector<std::string> names, wanted;
  for (const Exercise& exercise : exercises()) names.push_back(exercise.name);
  for (const Lesson& lesson : lessons())
    if (lesson.run) wanted.push_back(lesson.command);
  CHECK(names == wanted);
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.name);
    const std::vector<Case> series = series_of(exercise);
    CHECK(series.size() >= 5);
    std::vector<NamedArray> returned;
    std::set<std::string> ids;
    for (const Case& one : series) {
      INFO(one.rule->id);
      CHECK(ids.insert(one.rule->id).second);
      for (const Slot& slot : exercise.results) CHECK(one.run.has(slot.name));
      for (const Slot& slot : exercise.stages) CHECK(one.run.has(slot.name));
      for (const Slot& slot : exercise.given)
        if (!slot.is_number() && !slot.is_parameters()) CHECK(one.run.has(slot.name));
      add_returned(returned, one, one.run, exercise.results);
    }
    const Grading grading = graded(exercise, series, returned);
    CHECK(grading.pass());
    CHECK(grading.points() == grading.of());
    CHECK(grading.of() == series.size() * points_of(exercise));
    CHECK(graded(exercise, series, {}).points() == 0);
  }
}

TEST_CASE("where a lesson's page has the right numbers of a case, it is known", "[exercise]") {
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.name);
    const Lesson& lesson = find_lesson(exercise.name);
    const Trace page = lesson.run(resolve_input({}, lesson));
    const auto series = series_of(exercise);
    const bool found = std::ranges::any_of(series, [&](const Case& one) {
      return std::ranges::all_of(exercise.results, [&](const Slot& slot) {
        return !page.has(slot.name) || (page[slot.name].shape == one.run[slot.name].shape &&
                                        page[slot.name].data == one.run[slot.name].data);
      });
    });
    CHECK(is_on_page(exercise) == found);
  }
}

TEST_CASE("a seed draws other numbers into the same cases", "[exercise]") {
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.name);
    const std::vector<Case> usual = series_of(exercise), own = series_of(exercise, 7),
                            again = series_of(exercise, 7), others = series_of(exercise, 8);
    REQUIRE(own.size() == usual.size());
    std::size_t drawn = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
      INFO(own[i].rule->id);
      CHECK(own[i].rule == usual[i].rule);
      bool differs = false;
      for (const Slot& slot : exercise.given) {
        if (slot.is_number() || slot.is_parameters()) continue;
        const Tensor& mine = own[i].run[slot.name];
        CHECK(mine.shape == usual[i].run[slot.name].shape);
        CHECK(mine.data == again[i].run[slot.name].data);
        // Masks, tokens, labels: what a case is made for.
        if (slot.dtype != DType::f64) CHECK(mine.data == usual[i].run[slot.name].data);
        differs |= mine.data != usual[i].run[slot.name].data && mine.data != others[i].run[slot.name].data;
      }
      for (const Step& step : own[i].run.steps)
        if (step.role == Role::parameter) differs |= step.value.data != usual[i].run[step.name].data;
      drawn += differs;
      const bool is_seeded = own[i].rule->typed.find("--seed") != std::string::npos;
      if (is_seeded && exercise.name != "decode")
        CHECK(differs); // of decode's, some have another place alone
    }
    if (exercise.name != "bpe" && exercise.name != "params" && exercise.name != "lens") CHECK(drawn > 0);
  }
}

TEST_CASE("with any seed the right solution of a model passes, and answers without padding", "[exercise]") {
  for (const std::uint32_t seed : {0U, 1U, 7U, 4'000'000'000U})
    for (const char* name : {"model", "gpt", "induction"})
      for (const Case& one : series_of(*exercise_named(name), seed)) {
        INFO(name << " " << one.rule->id << " " << seed);
        if (name == std::string("model")) CHECK(std::ranges::count(one.run["greedy"].data, 0.0) == 0);
        for (const Step& step : one.run.steps)
          CHECK(std::ranges::none_of(step.value.data, [](double x) { return std::isnan(x); }));
      }
}

TEST_CASE("each mistake fails a case of every exercise in which it can be made", "[exercise]") {
  std::set<std::string> found;
  for (const Exercise& exercise : exercises()) {
    const std::vector<Case> series = series_of(exercise);
    for (const Mistake& mistake : mistakes()) {
      const MadeMistake made = make(mistake, exercise, series);
      if (!made.made || (!made.changes && !made.stops)) continue;
      INFO(exercise.name << ": " << mistake.id);
      found.insert(mistake.id);
      CHECK_FALSE(made.results_alone.pass());
      CHECK_FALSE(made.with_stages.pass());
      // Where it stops there is no array to diagnose.
      if (made.with_stages.first_wrong && !made.with_stages.cases[*made.with_stages.first_wrong].is_empty() &&
          made.with_stages.cases[*made.with_stages.first_wrong].wrong()) {
        const Diagnosis& diagnosis = made.with_stages.diagnosis;
        const bool named = std::ranges::any_of(diagnosis.suspects, [&](const Suspect& suspect) {
          return std::ranges::count(suspect.made, &mistake) > 0;
        });
        CHECK(named);
      }
    }
  }
  std::string never;
  for (const Mistake& mistake : mistakes())
    if (!found.contains(mistake.id)) never += mistake.id + " ";
  // Of a mask for each sentence, of nn.LayerNorm's rule, of a training's dropout, of the labels' making, of
  // gradients, of how parts are made and the stream is read: in no exercise's steps.
  CHECK(never ==
        "mask.on_heads norm.sample_variance norm.eps_outside dropout.no_rescale dropout.rescaled_by_rate "
        "loss.no_shift gradient.no_row_sum gradient.no_scale "
        "gradient.weight_transposed gradient.not_transposed gradient.overwritten "
        "lens.rows_of_W_O lens.no_norm ");
}

TEST_CASE("the result that the others lead to weighs more than each of them", "[exercise]") {
  const Exercise& exercise = *exercise_named("sdpa");
  const std::vector<Case> series = series_of(exercise);
  const auto points = [&](const char* wrong) {
    std::vector<NamedArray> returned;
    add_returned(returned, series[0], series[0].run, exercise.results);
    for (NamedArray& array : returned)
      if (array.name == series[0].rule->id + "/" + wrong) array.array.values.data[0] += 1;
    return graded(exercise, series, returned).cases[0].points;
  };
  CHECK(points("nothing") == 4);
  CHECK(points("weights") == 3);
  CHECK(points("output") == 1);
  CHECK(points_of(*exercise_named("qkv")) == 3); // none of which leads to another
}

TEST_CASE("the whole model says in words what its tokens are", "[exercise]") {
  const Exercise& exercise = *exercise_named("model");
  const std::vector<Case> series = series_of(exercise);
  const auto named = [&](const char* id) {
    return std::ranges::find_if(series, [&](const Case& one) { return one.rule->id == id; });
  };
  // NumPy's and PyTorch's programs say the same in tests/cli/exercise.sh.
  const Case& spoken_case = *named("three_hundred_and_five");
  CHECK(spoken(spoken_case.run, spoken_case.run["greedy"]) == "三百零五");
  CHECK(spoken(named("ten_million")->run, named("ten_million")->run["greedy"]) == "一千零九十万零七十四");
  CHECK(spoken(spoken_case.run, Tensor({2}, {6, 1e9})).empty());
  CHECK(spoken(spoken_case.run, Tensor({1}, {0.5})).empty());
  CHECK(spoken(spoken_case.run, Tensor({1}, {-1})).empty());
  CHECK(spoken(named("widths")->run, named("widths")->run["greedy"]).empty()); // a drawn model has no words
  // No answer has padding in it, which would hide itself from the next step.
  for (const Case& one : series) CHECK(std::ranges::count(one.run["greedy"].data, 0.0) == 0);
  std::vector<NamedArray> returned;
  for (const Case& one : series) add_returned(returned, one, one.run, exercise.results);
  for (NamedArray& array : returned)
    if (array.name == "three_hundred_and_five/greedy") array.array.values = Tensor({3}, {6, 15, 8});
  const Grading grading = graded(exercise, series, returned);
  REQUIRE(grading.first_wrong);
  CHECK(grading.cases[*grading.first_wrong].said == "三百五");
  CHECK(grading.diagnosis.suspects.empty());
}

TEST_CASE("the parameters that a program gets are the trained model's", "[exercise]") {
  const Exercise& exercise = *exercise_named("model");
  const std::vector<Case> series = series_of(exercise);
  const std::string file = inputs_file(exercise, series);
  const NpzReader reader(file, "inputs");
  CHECK(reader.read("three_hundred_and_five/w/generator.proj.weight").values.shape == Shape{19, 80});
  CHECK(reader.read("widths/w/encoder.layers.1.feed_forward.w_1.bias").values.shape == Shape{10});
  CHECK(reader.read("widths/heads").values.data[0] == 3);
}

TEST_CASE("a stage by another convention is no mistake, and hides none", "[exercise]") {
  const Exercise& exercise = *exercise_named("multihead");
  const std::vector<Case> series = series_of(exercise);
  const auto returned = [&](const std::vector<const Mistake*>& made) {
    std::vector<NamedArray> arrays;
    for (const Case& one : series) {
      const WrongRun run = run_wrong(one.run, made);
      add_returned(arrays, one, run.trace, {{"output", "(n, d)"}});
      // nn.MultiheadAttention returns the mean over the heads.
      const WrongRun averaged = run_wrong(one.run, {find_mistake("heads.weights_averaged")});
      add_returned(arrays, one, averaged.trace, {{"weights", "(h, n, n)"}});
    }
    return graded(exercise, series, arrays);
  };
  const Grading right = returned({});
  CHECK(right.pass());
  CHECK(right.cases[0].convention == "weights");
  const Grading wrong = returned({find_mistake("heads.merge_no_transpose")});
  REQUIRE(wrong.first_wrong);
  CHECK(wrong.cases[*wrong.first_wrong].wrong()->name == "output");
  REQUIRE(wrong.diagnosis.suspects.size() == 1);
  CHECK(wrong.diagnosis.suspects[0].id() == "heads.merge_no_transpose");
  CHECK(wrong.diagnosis.confidence == Confidence::sure);
}

TEST_CASE("NaN in a row that may see nothing is called so, and no mistake is looked for", "[exercise]") {
  const Exercise& exercise = *exercise_named("masked");
  const std::vector<Case> series = series_of(exercise);
  std::vector<NamedArray> arrays;
  for (const Case& one : series) {
    Trace run = one.run;
    for (Step& step : run.steps)
      if (step.name == "weights" || step.name == "output")
        for (std::size_t i = 0; i < step.value.size(); ++i) {
          const std::size_t width = step.value.shape.back(), row = i / width * width;
          const auto first = one.run[step.name].data.begin() + static_cast<std::ptrdiff_t>(row);
          if (std::all_of(first, first + static_cast<std::ptrdiff_t>(width), [](double x) { return x == 0; }))
            step.value.data[i] = std::nan("");
        }
    add_returned(arrays, one, run, exercise.results);
  }
  const Grading grading = graded(exercise, series, arrays);
  REQUIRE(grading.first_wrong);
  CHECK(grading.cases[*grading.first_wrong].id == "blocked");
  CHECK(grading.diagnosis.suspects.empty());
  REQUIRE(grading.observations.size() == 1);
  CHECK(grading.observations[0].id == "blocked_rows");
}
