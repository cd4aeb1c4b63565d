#include "exercise/grading.hpp"

#include "exercise/explanation.hpp"
#include "exercise/model_exercise.hpp"
#include "exercise/own_exercise.hpp"

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

std::vector<std::string> named(const Grading& grading) {
  return grading.own_mistakes.empty() ? named(grading.diagnosis) : grading.own_mistakes;
}

Grading graded(const Exercise& exercise, const std::vector<Case>& series, std::vector<NamedArray> returned) {
  Grading grading;
  for (const Case& one : series) {
    grading.cases.push_back(graded(exercise, one, returned_for(exercise, one, returned)));
    if (!grading.cases.back().pass() && !grading.first_wrong) grading.first_wrong = grading.cases.size() - 1;
  }
  find_convention(grading.cases);
  if (grading.first_wrong) explain(grading, exercise, series);
  if (exercise.own) grading.own_mistakes = own_mistakes(*exercise.own, grading.cases);
  return grading;
}

} // namespace tfx
