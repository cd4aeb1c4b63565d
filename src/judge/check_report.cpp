#include "judge/check_report.hpp"

#include "core/error.hpp"
#include "judge/instead.hpp"
#include "judge/other_options.hpp"
#include "lessons/catalogue.hpp"
#include "lessons/run.hpp"
#include "text/names.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>

namespace tfx {

namespace {

void refuse_half_precision(const HandedIn& own) {
  if (own.array.dtype == DType::f16 || own.array.dtype == DType::bf16)
    throw Error(ErrorKind::bad_data,
                said("{tensor} is {dtype}: too few digits to be compared",
                     {{"tensor", own.tensor}, {"dtype", std::string(name_of(own.array.dtype))}}),
                said("compute and save it as float32 or float64"));
}

} // namespace

CheckedTensor compared(const HandedIn& own, const Tensor& lessons, const Tolerance& tolerance) {
  CheckedTensor checked;
  checked.name = own.tensor, checked.dtype = own.array.dtype, checked.tolerance = tolerance;
  auto same = fitted(own.array.values, lessons.shape, own.from_text);
  checked.yours = same ? std::move(*same) : own.array.values;
  checked.difference = difference(checked.yours, lessons, checked.tolerance);
  return checked;
}

namespace {

// The lesson's step of what was handed in before it, where that can be computed.
std::optional<Tensor> made_of(const Trace& own, const Step& step) {
  try {
    return computed_instead(own, step, step.formula, step.operation).value;
  } catch (const std::exception&) {
    return std::nullopt; // shapes that do not fit, or an operation that only its lesson computes
  }
}

// Goes over the run with the learner's arrays in place of the lesson's.
void find_followers(const Trace& right, std::vector<CheckedTensor>& tensors) {
  Trace own;
  std::vector<std::string> changed;
  for (const Step& step : right.steps) {
    own.steps.push_back(step);
    Tensor& value = own.steps.back().value;
    const bool moved = std::ranges::any_of(step.operation.inputs, [&](const std::string& name) {
      return std::ranges::count(changed, name) > 0;
    });
    if (moved) {
      auto again = made_of(own, step);
      if (!again) return;
      value = std::move(*again);
      changed.push_back(step.name);
    }
    const auto checked = std::ranges::find(tensors, step.name, &CheckedTensor::name);
    if (checked == tensors.end() || checked->difference.equal() || checked->excused) continue;
    // Of another shape: the operations after it would read past its end.
    if (checked->yours.shape != value.shape) return;
    checked->follows = moved && equal_within(checked->yours, value, checked->tolerance);
    value = checked->yours;
    if (!moved) changed.push_back(step.name);
  }
}

// What was handed in and the suspect does not give; what is given to everybody is no evidence, nor another
// convention.
std::vector<std::string> contradicting(const Suspect& suspect, const Trace& right,
                                       const std::vector<CheckedTensor>& tensors) {
  const WrongRun run = run_wrong(right, suspect.made, suspect.at);
  std::vector<std::string> names;
  for (const CheckedTensor& one : tensors)
    if (!one.excused && !right.step_named(one.name).operation.is(op::given) && !gives(run, one))
      names.push_back(one.name);
  return names;
}

// Of mistakes that give the first wrong array alike, those that give most of the others. Sure is only one
// that gives all.
void narrow(Diagnosis& diagnosis, const Trace& right, const std::vector<CheckedTensor>& tensors) {
  if (diagnosis.suspects.empty() || diagnosis.doubt == Doubt::rounding) return;
  std::vector<std::pair<Suspect, std::vector<std::string>>> judged;
  for (Suspect& suspect : diagnosis.suspects) {
    auto against = contradicting(suspect, right, tensors);
    judged.emplace_back(std::move(suspect), std::move(against));
  }
  const auto fewest = [](const auto& one) { return one.second.size(); };
  const auto best = std::ranges::min_element(judged, {}, fewest)->second;
  diagnosis.suspects.clear();
  for (auto& [suspect, against] : judged)
    if (against == best) diagnosis.suspects.push_back(std::move(suspect));
  if (!best.empty())
    diagnosis.doubt = Doubt::other_tensors, diagnosis.contradicts = best;
  else if (diagnosis.doubt == Doubt::several && diagnosis.suspects.size() == 1)
    diagnosis.doubt = Doubt::none;
  diagnosis.confidence = diagnosis.doubt == Doubt::none ? Confidence::sure : Confidence::perhaps;
}

// What is plainly another array of the lesson, or a transposed one, is not a story of two mistakes.
void prefer_what_is_seen(Diagnosis& diagnosis, const std::vector<Observation>& seen) {
  if (std::ranges::none_of(seen, [](const Observation& one) { return kind_of(one).is_another_array; }))
    return;
  std::erase_if(diagnosis.suspects, [](const Suspect& suspect) { return suspect.made.size() > 1; });
  if (diagnosis.suspects.empty())
    diagnosis = {{}, Confidence::none, Doubt::none, {}, {}, diagnosis.pairs_tried};
}

std::set<std::string> way_to(const std::vector<CheckedTensor>& tensors, const Trace& right) {
  std::set<std::string> names;
  for (const CheckedTensor& one : tensors) names.insert(one.name);
  return way_to(std::move(names), right);
}

// What differs, and what is made of it does not: scores that were scaled before, weights averaged for looking
// at.
void excuse(std::vector<CheckedTensor>& tensors, const Trace& right,
            const std::vector<std::string>& required) {
  for (CheckedTensor& one : tensors) {
    if (one.difference.equal() || std::ranges::count(required, one.name)) continue;
    if (right.step_named(one.name).operation.is(op::given)) continue;
    for (const CheckedTensor& other : tensors)
      one.excused |= other.difference.equal() && way_to(std::set{other.name}, right).contains(one.name);
    if (one.excused) one.convention = observations(right, one.name, one.yours, one.tolerance);
  }
}

bool is_known(const Diagnosis& diagnosis) {
  return diagnosis.confidence == Confidence::sure || diagnosis.doubt == Doubt::several;
}

void look_for_formulas(CheckReport& report, const Trace& right, const CheckedTensor& wrong,
                       const std::vector<std::string>& right_ones) {
  drop_what_is_known(report.observations, report.diagnosis);
  if (is_known(report.diagnosis) || std::ranges::any_of(report.observations, says_all)) return;
  if (evidence(wrong.yours, right[wrong.name], wrong.tolerance) < enough_evidence) return;
  std::vector<Observation> found;
  for (const Instead& one : instead_of_steps(right, wrong.name, wrong.yours, wrong.tolerance, right_ones))
    found.push_back(
        {"instead", {{"steps", join(one.steps)}, {"formula", one.formula}, {"lessons", one.lessons}}});
  report.observations.insert(report.observations.begin(), found.begin(), found.end());
}

} // namespace

void drop_what_is_known(std::vector<Observation>& seen, const Diagnosis& diagnosis) {
  if (is_known(diagnosis)) std::erase_if(seen, [](const Observation& one) { return kind_of(one).is_solved; });
}

bool is_explained(const std::vector<Observation>& seen) {
  return std::ranges::any_of(seen, [](const Observation& one) { return kind_of(one).says_what_was_done; });
}

bool gives(const WrongRun& run, const CheckedTensor& one) {
  const Step* step = run.trace.find(one.name);
  const auto own = step ? fitted(one.yours, step->value.shape) : std::nullopt;
  return own && equal_within(with_blocked_rows_of(step->value, *own), step->value, one.tolerance);
}

std::vector<const Mistake*> hidden_mistakes(const Trace& right, const std::vector<CheckedTensor>& tensors) {
  const std::set<std::string> way = way_to(tensors, right);
  std::vector<const Mistake*> hidden;
  for (const Mistake& mistake : mistakes()) {
    const WrongRun run = run_wrong(right, {&mistake});
    const bool on_the_way =
        std::ranges::any_of(run.made, [&](const std::string& step) { return way.contains(step); });
    const bool shown = run.stops || std::ranges::any_of(tensors, [&](const CheckedTensor& one) {
                         const Tensor& lessons = right[one.name];
                         const auto wrong = fitted(run.trace[one.name], lessons.shape);
                         return !wrong || !equal_within(*wrong, lessons, one.tolerance);
                       });
    if (on_the_way && !shown) hidden.push_back(&mistake);
  }
  return hidden;
}

CheckReport check_arrays(const Trace& right, const std::vector<HandedIn>& arrays,
                         const std::optional<Tolerance>& tolerance,
                         const std::vector<std::string>& required) {
  CheckReport report;
  for (const Step& step : right.steps)
    for (const HandedIn& own : arrays) {
      if (own.tensor != step.name) continue;
      refuse_half_precision(own);
      report.tensors.push_back(compared(own, step.value, tolerance.value_or(tolerance_of(own.array.dtype))));
    }
  report.hidden = hidden_mistakes(right, report.tensors);
  if (!required.empty()) excuse(report.tensors, right, required);
  std::vector<std::string> right_ones;
  for (const CheckedTensor& one : report.tensors)
    if (one.difference.equal() && !right.step_named(one.name).operation.is(op::given))
      right_ones.push_back(one.name);
  const auto wrong = std::ranges::find_if(
      report.tensors, [](const CheckedTensor& t) { return !t.difference.equal() && !t.excused; });
  if (wrong == report.tensors.end()) return report;
  report.first_wrong = static_cast<std::size_t>(wrong - report.tensors.begin());
  report.diagnosis = diagnose(right, wrong->name, wrong->yours, wrong->tolerance, right_ones);
  narrow(report.diagnosis, right, report.tensors);
  report.observations = observations(right, wrong->name, wrong->yours, wrong->tolerance);
  prefer_what_is_seen(report.diagnosis, report.observations);
  look_for_formulas(report, right, *wrong, right_ones);
  find_followers(right, report.tensors);
  return report;
}

namespace {

// What is given is the same with every option.
bool gives(const Trace& run, const std::vector<HandedIn>& arrays, const std::optional<Tolerance>& tolerance) {
  bool computed = false;
  for (const HandedIn& own : arrays) {
    const Step* step = run.find(own.tensor);
    if (!step) return false;
    if (!compared(own, step->value, tolerance.value_or(tolerance_of(own.array.dtype))).difference.equal())
      return false;
    computed |= !step->operation.is(op::given);
  }
  return computed;
}

} // namespace

std::optional<std::string> option_that_fits(const Lesson& lesson, const InputOptions& options,
                                            const Trace& right, const std::vector<HandedIn>& arrays,
                                            const std::optional<Tolerance>& tolerance) {
  std::size_t cells = 0;
  for (const Step& step : right.steps) cells += step.value.size();
  constexpr std::size_t max_cells = 100000; // some twenty runs: about a second
  if (cells > max_cells) return {};
  for (const OtherOptions& other : other_options(options, lesson)) {
    try {
      if (gives(run_lesson(lesson, other.options, RunFor::values).trace, arrays, tolerance))
        return other.typed;
    } catch (const Error&) { // options that do not go together
    }
  }
  return {};
}

/// Whether the answer fits the words' vectors as version 0.1 drew them.
bool fits_old_draw(const Lesson& lesson, const InputOptions& options, const std::vector<HandedIn>& arrays,
                   const std::optional<Tolerance>& tolerance) {
  if (!options.text && !options.source && !lesson.takes(Input::token_ids)) return false;
  InputOptions old = options;
  old.word_draws = WordDraws::in_order;
  try {
    return gives(run_lesson(lesson, old, RunFor::values).trace, arrays, tolerance);
  } catch (const Error&) {
    return false;
  }
}

/// A loss that is PyTorch's own with the same smoothing.
bool is_torch_loss(const Trace& right, const std::vector<HandedIn>& arrays) {
  const auto fact = right.facts.find("torch_loss");
  if (fact == right.facts.end()) return false;
  const double torch = std::get<double>(fact->second);
  return std::ranges::any_of(arrays, [&](const HandedIn& one) {
    const std::vector<double>& handed_in = one.array.values.data;
    return one.tensor == "loss" && handed_in.size() == 1 && std::abs(handed_in[0] - torch) <= 1e-6 * torch;
  });
}

void tell_option(CheckReport& report, const Lesson& lesson, const InputOptions& options, const Trace& right,
                 const std::vector<HandedIn>& arrays, const std::optional<Tolerance>& tolerance) {
  if (report.equal()) return;
  if (fits_old_draw(lesson, options, arrays, tolerance)) {
    report.observations.insert(report.observations.begin(), {"old_draw", {}});
    return;
  }
  if (is_torch_loss(right, arrays)) {
    report.observations.insert(report.observations.begin(), {"torch_smoothing", {}});
    return;
  }
  if (auto option = option_that_fits(lesson, options, right, arrays, tolerance))
    report.observations.insert(report.observations.begin(), {"option", {{"option", *option}}});
}

} // namespace tfx
