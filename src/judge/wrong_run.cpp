#include "judge/wrong_run.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/progress.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <utility>

namespace tfx {

namespace {

// A mistake may read what is given later, as queries from the memory do.
std::vector<const Step*> given_first(const Trace& t, const std::string& until) {
  std::vector<const Step*> steps;
  bool before = true;
  for (const Step& step : t.steps) {
    if (before || step.operation.is(op::given)) steps.push_back(&step);
    before = before && step.name != until;
  }
  std::stable_partition(steps.begin(), steps.end(),
                        [](const Step* step) { return step->operation.is(op::given); });
  return steps;
}

// The right run's order again; where the wrong one stops, nothing stands after it.
void order_as(const Trace& right, WrongRun& run) {
  if (std::ranges::equal(run.trace.steps, right.steps, {}, &Step::name, &Step::name)) return;
  std::deque<Step> steps;
  for (const Step& step : right.steps) {
    if (step.name == run.stopped_at) break;
    const auto wrong = std::ranges::find(run.trace.steps, step.name, &Step::name);
    if (wrong != run.trace.steps.end()) steps.push_back(std::move(*wrong));
  }
  run.trace.steps = std::move(steps);
}

// An earlier lesson's result, and given, or what a trained model has computed: nobody can get it wrong.
bool is_handed_out(const Trace& run, const Step& step) {
  return (step.operation.is(op::given) && step.role == Role::recap) || run.is_of_model(step);
}

// Whether the mistake gives the same without the one that was made before it at the step.
bool ignores(const Mistake& mistake, const Trace& trace, Step seen, const Tensor& base, const Tensor& wrong) {
  seen.value = base;
  const auto alone = mistake.wrong(trace, seen);
  return alone && alone->value.shape == wrong.shape && relative_difference(alone->value, wrong) <= rounding;
}

// For the steps once more, and what one of them takes while it is computed.
void require_room(const std::vector<const Step*>& steps) {
  constexpr double worth_asking = 1 << 24; // bytes: to ask costs more than a small run takes
  double all = 0, largest = 0;
  for (const Step* step : steps) {
    const double bytes = sizeof(double) * static_cast<double>(step->value.size());
    all += bytes, largest = std::max(largest, bytes);
  }
  const double bytes = all + 6 * largest;
  if (bytes > worth_asking) require_memory(bytes, said("the run with a mistake in it"));
}

} // namespace

WrongRun run_wrong(const Trace& right, const std::vector<const Mistake*>& made, const std::string& at,
                   const std::string& until) {
  const std::vector<const Step*> steps = given_first(right, until);
  require_room(steps);
  WrongRun run;
  run.trace.lesson = right.lesson, run.trace.tutorial = right.tutorial, run.trace.main = right.main;
  run.trace.spotlight = right.spotlight, run.trace.objective = right.objective, run.trace.dtype = right.dtype;
  // Of what the right run measured a wrong one says nothing; how the lesson was asked is the same.
  if (const auto asked = right.facts.find("activation"); asked != right.facts.end())
    run.trace.facts.insert(*asked);
  const auto differs = [&](const std::string& name) { return std::ranges::count(run.changed, name) > 0; };
  // A mistake reads the lesson's operations, whatever stood in their place before: it knows their inputs.
  std::vector<std::pair<std::string, Operation>> instead;
  for (const Step* step : steps) {
    try {
      // What follows something wrong comes by its own operation.
      const bool follows = std::ranges::any_of(step->operation.inputs, differs);
      Step now = follows ? computed_instead(run.trace, *step, step->formula, step->operation) : *step;
      std::optional<Tensor> base; // for the second of two mistakes
      if (made.size() > 1) base = now.value;
      bool made_here = false;
      for (const Mistake* mistake : made) {
        if ((!at.empty() && at != step->name) || is_handed_out(right, *step)) continue;
        // Made after another one at the same step: on its numbers, by the lesson's operation.
        if (made.size() > 1 && now.value.shape != step->value.shape) continue;
        std::optional<Operation> before; // that the first of two mistakes has put in its place
        if (made_here) before = std::exchange(now.operation, step->operation);
        if (auto wrong = mistake->wrong(run.trace, now)) {
          if (made_here) run.replaced |= ignores(*mistake, run.trace, now, *base, wrong->value);
          made_here = true;
          now = std::move(*wrong);
          run.made.push_back(step->name);
        } else if (before) {
          now.operation = std::move(*before);
        }
      }
      // What neither follows something wrong nor is wrong is the right run's own.
      if ((follows || made_here) && relative_difference(now.value, step->value) > rounding)
        run.changed.push_back(step->name);
      if (made_here) instead.emplace_back(step->name, std::exchange(now.operation, step->operation));
      run.trace.steps.push_back(std::move(now));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_data) throw;
      run.stops = error.message();
      run.stopped_at = step->name;
      break;
    }
  }
  for (Step& step : run.trace.steps)
    for (auto& [name, operation] : instead)
      if (step.name == name) step.operation = std::move(operation);
  order_as(right, run);
  return run;
}

const ChangedStep* BrokenRun::find(const std::string& name) const {
  const auto step = std::ranges::find(changed, name, &ChangedStep::name);
  return step == changed.end() ? nullptr : &*step;
}

BrokenRun broken_run(const Trace& right, const Mistake& mistake) {
  BrokenRun broken{&mistake, run_wrong(right, {&mistake}), {}};
  for (const std::string& name : broken.run.changed) {
    const bool made = std::ranges::count(broken.run.made, name) > 0;
    const Difference difference = tfx::difference(broken.run.trace[name], right[name], Tolerance{});
    if (!difference.equal()) broken.changed.push_back({name, made, difference});
  }
  return broken;
}

bool is_broken(const BrokenRun& broken) {
  return !broken.run.made.empty() || broken.run.stops;
}

std::vector<BrokenRun> broken_runs(const Trace& right, const Lesson& lesson) {
  std::vector<BrokenRun> all;
  std::size_t tried = 0;
  for (const Mistake& mistake : mistakes()) {
    tell_progress(mistake.id, {++tried, mistakes().size()});
    BrokenRun broken = broken_run(right, mistake);
    if (!is_broken(broken)) continue;
    for (Step& step : broken.run.trace.steps)
      step.value.data = std::vector<double>(); // {} would keep the memory
    all.push_back(std::move(broken));
  }
  std::stable_partition(all.begin(), all.end(),
                        [&](const BrokenRun& b) { return b.mistake->folder == lesson.folder; });
  return all;
}

} // namespace tfx
