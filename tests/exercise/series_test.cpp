// The series of the exercises: the right solution passes every case, each mistake of the catalogue fails at
// least one.

#include "exercise/grading.hpp"
#include "io/npz.hpp"
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

TEST_CASE("every lesson of the page has an exercise, whose right solution passes", "[exercise]") {
  std::vector<std::string> names, wanted;
  for (const Exercise& exercise : exercises()) names.push_back(exercise.name);
  for (const Lesson& lesson : page_lessons()) wanted.push_back(lesson.command);
  CHECK(names == wanted);
  for (const Exercise& exercise : exercises()) {
    INFO(exercise.name);
    const std::vector<Case> series = series_of(exercise);
    CHECK(series.size() >= 5);
    CHECK(std::ranges::any_of(exercise.series, &CaseRule::is_shown));
    std::vector<NamedArray> returned;
    std::set<std::string> ids;
    for (const Case& one : series) {
      INFO(one.rule->id);
      CHECK(ids.insert(one.rule->id).second);
      for (const Slot& slot : exercise.results) CHECK(one.run.has(slot.name));
      for (const Slot& slot : exercise.stages) CHECK(one.run.has(slot.name));
      for (const Slot& slot : exercise.given)
        if (!slot.is_number()) CHECK(one.run.has(slot.name));
      add_returned(returned, one, one.run, exercise.results);
    }
    const Grading grading = graded(exercise, series, returned);
    CHECK(grading.pass());
    CHECK(grading.points() == grading.of());
    CHECK(grading.of() == series.size() * exercise.results.size());
    CHECK(graded(exercise, series, {}).points() == 0);
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
  // Of nn.LayerNorm's rule, of a training's dropout, of the labels' making, of the whole model, of
  // gradients, of later lessons: in no exercise's steps.
  CHECK(never ==
        "norm.sample_variance norm.eps_outside dropout.no_rescale dropout.rescaled_by_rate "
        "model.kv_from_decoder model.memory_exchanged model.memory_of_layer model.memory_before_norm "
        "model.no_causal_mask model.source_mask_for_target model.no_source_mask model.causal_encoder "
        "model.generator_before_norm model.tied_to_source model.no_scale model.no_target_positions "
        "model.shared_layers model.no_residual loss.no_shift gradient.no_row_sum gradient.no_scale "
        "gradient.weight_transposed gradient.not_transposed gradient.overwritten ");
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
