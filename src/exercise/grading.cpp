#include "exercise/grading.hpp"

#include "exercise/model_exercise.hpp"

#include <algorithm>

namespace tfx {

namespace {

bool asks(const std::vector<Slot>& slots, const std::string& name) {
  return std::ranges::count(slots, name, &Slot::name) > 0;
}

// float32 inputs leave about five digits of a result; half precision is judged like it, and found wanting.
Tolerance tolerance_in(const Case& one, DType dtype) {
  if (one.rule->dtype == DType::f32) return {1e-4, 1e-5};
  return tolerance_of(dtype == DType::f16 || dtype == DType::bf16 ? DType::f32 : dtype);
}

// What was returned for the case under the names that the exercise has.
std::vector<HandedIn> returned_for(const Exercise& exercise, const Case& one,
                                   const std::vector<NamedArray>& returned) {
  std::vector<HandedIn> arrays;
  for (const NamedArray& array : returned) {
    const std::string before = one.rule->id + "/";
    if (!array.name.starts_with(before)) continue;
    const std::string name = array.name.substr(before.size());
    if (asks(exercise.results, name) || (asks(exercise.stages, name) && one.run.has(name)))
      arrays.push_back({name, array.array, FromText::no});
  }
  return arrays;
}

GradedCase graded(const Exercise& exercise, const Case& one, const std::vector<HandedIn>& arrays) {
  GradedCase graded{one.rule->id, {}, {}, 0, points_of(exercise), {}, {}};
  for (const Step& step : one.run.steps)
    for (const HandedIn& own : arrays)
      if (own.tensor == step.name)
        graded.tensors.push_back(compared(own, step.value, tolerance_in(one, own.array.dtype)));
  for (const Slot& slot : exercise.results) {
    const auto found = std::ranges::find(graded.tensors, slot.name, &CheckedTensor::name);
    if (found == graded.tensors.end())
      graded.missing.push_back(slot.name);
    else
      graded.points += found->difference.equal() ? slot.points : 0;
  }
  for (const CheckedTensor& own : graded.tensors)
    if (own.name == "greedy") graded.said = spoken(one.run, own.yours);
  if (const CheckedTensor* other = graded.wrong(); other && graded.pass()) graded.convention = other->name;
  return graded;
}

// Where the results of a case are right though a stage is not the lesson's, that stage is another way to do
// it: it is to blame for no other case.
void find_convention(std::vector<GradedCase>& cases) {
  const auto other =
      std::ranges::find_if(cases, [](const GradedCase& one) { return !one.convention.empty(); });
  if (other == cases.end()) return;
  const std::string name = other->convention;
  for (GradedCase& one : cases)
    if (std::ranges::any_of(one.tensors, [&](const CheckedTensor& own) {
          return own.name == name && !own.difference.equal();
        }))
      one.convention = name;
}

// Whether the mistakes give what was returned for the case, right tensors and wrong ones.
bool gives(const Suspect& suspect, const Case& one, const GradedCase& graded) {
  const WrongRun run = run_wrong(one.run, suspect.made, suspect.at);
  return std::ranges::all_of(graded.tensors, [&](const CheckedTensor& own) {
    // Nor is a mistake made in what was given out as it is: the greedy answer of a whole model.
    if (own.name == graded.convention || one.run.step_named(own.name).operation.is(op::given)) return true;
    const Step* step = run.trace.find(own.name);
    return step && step->value.shape == own.yours.shape &&
           equal_within(own.yours, step->value, own.tolerance);
  });
}

// Of mistakes that give the first wrong array alike, those that explain all cases; else those that none
// contradicts: a case that is right though the mistake would make it wrong. What is contradicted is not sure.
void narrow(Diagnosis& diagnosis, const std::vector<Case>& series, const std::vector<GradedCase>& cases) {
  std::vector<Suspect> explaining, possible;
  for (const Suspect& suspect : diagnosis.suspects) {
    bool explains = true, contradicted = false;
    for (std::size_t i = 0; i < series.size(); ++i) {
      const bool fits = cases[i].is_empty() || gives(suspect, series[i], cases[i]);
      explains = explains && fits;
      contradicted = contradicted || (!fits && cases[i].pass());
    }
    if (explains) explaining.push_back(suspect);
    if (!contradicted) possible.push_back(suspect);
  }
  if (!explaining.empty())
    diagnosis.suspects = std::move(explaining), diagnosis.confidence = Confidence::sure;
  else if (!possible.empty())
    diagnosis.suspects = std::move(possible);
  else if (diagnosis.confidence == Confidence::sure)
    diagnosis.confidence = Confidence::perhaps;
}

void diagnose_first(Grading& grading, const std::vector<Case>& series) {
  const GradedCase& first = grading.cases[*grading.first_wrong];
  const Case& one = series[*grading.first_wrong];
  const CheckedTensor* wrong = first.wrong();
  if (!wrong) return; // nothing came back, or not all that was asked for
  grading.diagnosis = diagnose(one.run, wrong->name, wrong->yours, wrong->tolerance);
  narrow(grading.diagnosis, series, grading.cases);
  grading.observations = observations(one.run, wrong->name, wrong->yours, wrong->tolerance);
  std::erase_if(grading.observations, [](const Observation& seen) {
    return seen.id == "shape_of" || seen.id == "input"; // no result is given to the learner
  });
  if (std::ranges::count(grading.observations, "blocked_rows", &Observation::id)) grading.diagnosis = {};
}

} // namespace

std::size_t points_of(const Exercise& exercise) {
  std::size_t sum = 0;
  for (const Slot& slot : exercise.results) sum += slot.points;
  return sum;
}

const CheckedTensor* GradedCase::wrong() const {
  const auto found = std::ranges::find_if(
      tensors, [&](const auto& one) { return !one.difference.equal() && one.name != convention; });
  return found == tensors.end() ? nullptr : &*found;
}

std::size_t Grading::points() const {
  std::size_t sum = 0;
  for (const GradedCase& one : cases) sum += one.points;
  return sum;
}

std::size_t Grading::of() const {
  std::size_t sum = 0;
  for (const GradedCase& one : cases) sum += one.of;
  return sum;
}

Grading graded(const Exercise& exercise, const std::vector<Case>& series, std::vector<NamedArray> returned) {
  Grading grading;
  for (const Case& one : series) {
    grading.cases.push_back(graded(exercise, one, returned_for(exercise, one, returned)));
    if (!grading.cases.back().pass() && !grading.first_wrong) grading.first_wrong = grading.cases.size() - 1;
  }
  find_convention(grading.cases);
  if (grading.first_wrong) diagnose_first(grading, series);
  return grading;
}

} // namespace tfx
