#include "exercise/series.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "exercise/inputs.hpp"
#include "exercise/model_exercise.hpp"
#include "exercise/own_exercise.hpp"
#include "io/npz.hpp"
#include "lessons/run.hpp"
#include "text/vocabulary.hpp"
#include "trace/mistake.hpp"

#include <algorithm>
#include <deque>
#include <set>

namespace tfx {

namespace {

// Not a number: how many heads there are is called as what comes out of them.
bool takes(const Exercise& exercise, const std::string& name) {
  return std::ranges::any_of(exercise.given,
                             [&](const Slot& slot) { return slot.name == name && !slot.is_number(); });
}

// The numbers as a file of float32 has them, and what follows from these.
void round_to_float(Trace& run) {
  for (Step& step : run.steps) {
    if (!step.operation.is(op::given))
      step = computed_instead(run, step, step.formula, step.operation);
    else
      for (double& x : step.value.data) x = static_cast<double>(static_cast<float>(x));
  }
}

std::map<std::string, double> numbers_of(const Trace& run, const LessonInput& input) {
  const page::AdamStep& step = input.optimizer_step;
  std::map<std::string, double> numbers = {{"heads", static_cast<double>(input.heads)},
                                           {"smoothing", input.smoothing},
                                           {"t", step.t},
                                           {"learning_rate", step.learning_rate},
                                           {"beta_1", step.beta_1},
                                           {"beta_2", step.beta_2},
                                           {"epsilon", step.epsilon},
                                           {"decay", step.decay},
                                           {"temperature", input.sampling.temperature},
                                           {"top_k", static_cast<double>(input.sampling.top_k)},
                                           {"top_p", input.sampling.top_p},
                                           {"max_merges", static_cast<double>(input.merges)},
                                           {"start", start_id},
                                           {"end", end_id},
                                           {"longest", longest_answer}};
  if (run.has("K")) numbers["d_k"] = static_cast<double>(run["K"].shape.back());
  return numbers;
}

bool is_asked_for(const Exercise& exercise, const std::string& name) {
  return std::ranges::count(exercise.results, name, &Slot::name) ||
         std::ranges::count(exercise.stages, name, &Slot::name);
}

// The steps up to the last one that is asked for.
void cut_behind_results(const Exercise& exercise, Trace& run) {
  while (!is_asked_for(exercise, run.steps.back().name)) run.steps.pop_back();
}

// The names between what is given and what is asked for.
std::set<std::string> way_of(const Exercise& exercise, const Trace& run) {
  std::set<std::string> way;
  for (auto step = run.steps.rbegin(); step != run.steps.rend(); ++step)
    if (is_asked_for(exercise, step->name)) way.insert(step->name);
  for (auto step = run.steps.rbegin(); step != run.steps.rend(); ++step)
    if (way.contains(step->name) && !takes(exercise, step->name))
      way.insert(step->operation.inputs.begin(), step->operation.inputs.end());
  return way;
}

// What the learner is given, and what that was made of, becomes a step that nobody can get wrong. A mask can
// be read in a wrong way.
void hand_out(const Exercise& exercise, Trace& run) {
  const std::set<std::string> way = way_of(exercise, run);
  for (Step& step : run.steps) {
    const bool is_given = takes(exercise, step.name);
    if (!is_given && way.contains(step.name)) continue;
    step.operation = {};
    step.role = is_given && step.name.starts_with("mask") ? Role::input : Role::recap;
  }
}

Case case_of(const Exercise& exercise, const CaseRule& rule) {
  if (exercise.own) return own_case(exercise, rule);
  const Lesson& lesson = find_lesson(exercise.name);
  LessonInput input = resolve_input(rule.options(), lesson);
  if (rule.change) rule.change(input);
  const bool wants_mask = takes(exercise, "mask_given") || (takes(exercise, "mask") && !input.masks());
  if (wants_mask && !input.has("mask_given")) add_open_mask(input);
  Case one{&rule, lesson.run(input), {}};
  one.numbers = numbers_of(one.run, input);
  cut_behind_results(exercise, one.run);
  hand_out(exercise, one.run);
  if (lesson.stage == Stage::model) add_answer(input, one.run);
  if (rule.dtype == DType::f32) round_to_float(one.run);
  return one;
}

} // namespace

double Case::number(const Slot& slot) const {
  const auto found = numbers.find(slot.name);
  return found != numbers.end() ? found->second : run[slot.name].data[0];
}

std::vector<Case> series_of(const Exercise& exercise) {
  reserve_blas_memory();
  std::vector<Case> series;
  for (const CaseRule& rule : exercise.series) series.push_back(case_of(exercise, rule));
  return series;
}

std::string inputs_file(const Exercise& exercise, const std::vector<Case>& series) {
  std::deque<Tensor> numbers; // entries point at them
  std::vector<NpzEntry> entries;
  for (const Case& one : series)
    for (const Slot& slot : exercise.given) {
      if (slot.is_parameters()) {
        for (const Step& step : one.run.steps)
          if (step.role == Role::parameter)
            entries.push_back({one.rule->id + "/" + slot.name + "/" + step.name, &step.value, DType::f64});
        continue;
      }
      const DType dtype = slot.dtype == DType::f64 ? one.rule->dtype : slot.dtype;
      const Tensor* value = slot.is_number() ? &numbers.emplace_back(Shape{}, std::vector{one.number(slot)})
                                             : &one.run[slot.name];
      entries.push_back({one.rule->id + "/" + slot.name, value, dtype});
    }
  return write_npz(entries);
}

} // namespace tfx
