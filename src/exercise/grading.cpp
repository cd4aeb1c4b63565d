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

// A frame that calls the function for each matrix of a batch returns what they share as often as there are
// matrices: a mask. Where the lesson has it once, and all are the same, it is once.
Array once_in_batch(Array array, const Shape& lessons) {
  const Shape& shape = array.values.shape;
  if (shape.size() != lessons.size() + 1 || !std::equal(lessons.begin(), lessons.end(), shape.begin() + 1))
    return array;
  std::vector<double>& data = array.values.data;
  const std::size_t one = data.size() / std::max<std::size_t>(1, shape[0]);
  for (std::size_t i = one; i < data.size(); ++i)
    if (data[i] != data[i - one]) return array;
  data.resize(one);
  array.values.shape = lessons;
  return array;
}

struct Returned {
  std::vector<HandedIn> arrays; // under the names that the exercise has
  std::vector<std::string> unknown;
};

Returned returned_for(const Exercise& exercise, const Case& one, const std::vector<NamedArray>& returned) {
  Returned found;
  for (const NamedArray& array : returned) {
    const std::string before = one.rule->id + "/";
    if (!array.name.starts_with(before)) continue;
    const std::string name = array.name.substr(before.size());
    if (asks(exercise.results, name))
      found.arrays.push_back({name, array.array, FromText::no});
    else if (asks(exercise.stages, name) && one.run.has(name))
      found.arrays.push_back({name, once_in_batch(array.array, one.run[name].shape), FromText::no});
    else
      found.unknown.push_back(name);
  }
  return found;
}

GradedCase graded(const Exercise& exercise, const Case& one, const Returned& returned) {
  GradedCase graded{one.rule->id, {}, {}, returned.unknown, 0, points_of(exercise), {}, {}};
  for (const Step& step : one.run.steps)
    for (const HandedIn& own : returned.arrays)
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
    if (exercise.is_model() && own.name == "greedy") graded.said = spoken(one.run, own.yours);
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

// What was returned for the case, right or wrong, and the mistakes do not give.
std::vector<std::string> contradicting(const Suspect& suspect, const Case& one, const GradedCase& graded) {
  const WrongRun run = run_wrong(one.run, suspect.made, suspect.at);
  std::vector<std::string> names;
  for (const CheckedTensor& own : graded.tensors)
    // Nor is a mistake made in what was given out as it is: the greedy answer of a whole model.
    if (own.name != graded.convention && !one.run.step_named(own.name).operation.is(op::given) &&
        !gives(run, own))
      names.push_back(own.name);
  return names;
}

// What the wrong cases say together for the suspects, each by its first wrong tensor.
bool is_evidence_enough(const std::vector<Suspect>& suspects, const std::vector<Case>& series,
                        const std::vector<GradedCase>& cases) {
  double bits = 0;
  std::size_t different = 0;
  for (std::size_t i = 0; i < series.size(); ++i)
    if (const CheckedTensor* wrong = cases[i].wrong()) {
      bits += evidence(wrong->yours, series[i].run[wrong->name], wrong->tolerance);
      different += wrong->difference.different;
    }
  const bool pairs =
      std::ranges::any_of(suspects, [](const Suspect& suspect) { return suspect.made.size() > 1; });
  return bits >= enough_evidence * (pairs ? 2 : 1) && different > 1;
}

// Of mistakes that give the first wrong array alike, those that explain its case, and of them those that
// explain most cases. Sure is only one that explains all of them, right and wrong.
void narrow(Diagnosis& diagnosis, const std::vector<Case>& series, const std::vector<GradedCase>& cases,
            std::size_t first_wrong) {
  if (diagnosis.suspects.empty() || diagnosis.doubt == Doubt::rounding) return;
  struct Judged {
    Suspect suspect;
    std::vector<std::string> fits, contradicts; // ids of cases
    std::vector<std::string> in_first;          // tensors of the first wrong case that it does not give
  };
  std::vector<Judged> judged;
  for (Suspect& suspect : diagnosis.suspects) {
    Judged one{std::move(suspect), {}, {}, {}};
    for (std::size_t i = 0; i < series.size(); ++i) {
      if (cases[i].is_empty()) continue;
      const auto against = contradicting(one.suspect, series[i], cases[i]);
      if (i == first_wrong) one.in_first = against;
      (against.empty() ? one.fits : one.contradicts).push_back(cases[i].id);
    }
    judged.push_back(std::move(one));
  }
  const Judged best = *std::ranges::max_element(
      judged, {}, [](const Judged& one) { return std::pair(one.in_first.empty(), one.fits.size()); });
  diagnosis.suspects.clear();
  for (Judged& one : judged)
    if (one.fits == best.fits && one.in_first == best.in_first)
      diagnosis.suspects.push_back(std::move(one.suspect));
  diagnosis.doubt = !best.in_first.empty()                                   ? Doubt::other_tensors
                    : !best.contradicts.empty()                              ? Doubt::other_cases
                    : diagnosis.suspects.size() > 1                          ? Doubt::several
                    : !is_evidence_enough(diagnosis.suspects, series, cases) ? Doubt::few_numbers
                                                                             : Doubt::none;
  if (diagnosis.doubt == Doubt::other_tensors) diagnosis.contradicts = best.in_first;
  if (diagnosis.doubt == Doubt::other_cases)
    diagnosis.fits = best.fits, diagnosis.contradicts = best.contradicts;
  diagnosis.confidence = diagnosis.doubt == Doubt::none ? Confidence::sure : Confidence::perhaps;
}

void diagnose_first(Grading& grading, const std::vector<Case>& series) {
  const GradedCase& first = grading.cases[*grading.first_wrong];
  const Case& one = series[*grading.first_wrong];
  const CheckedTensor* wrong = first.wrong();
  if (!wrong) return; // nothing came back, or not all that was asked for
  std::vector<std::string> right_ones;
  for (const CheckedTensor& own : first.tensors)
    if (own.difference.equal() && own.name != first.convention &&
        !one.run.step_named(own.name).operation.is(op::given))
      right_ones.push_back(own.name);
  grading.diagnosis = diagnose(one.run, wrong->name, wrong->yours, wrong->tolerance, right_ones);
  narrow(grading.diagnosis, series, grading.cases, *grading.first_wrong);
  grading.observations = observations(one.run, wrong->name, wrong->yours, wrong->tolerance);
  std::erase_if(grading.observations, [](const Observation& seen) {
    return seen.id == "shape_of" || seen.id == "input"; // no result is given to the learner
  });
  drop_what_is_known(grading.observations, grading.diagnosis);
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
