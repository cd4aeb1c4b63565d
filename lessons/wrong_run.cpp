#include "lessons/wrong_run.hpp"

#include "core/error.hpp"
#include "lessons/compute.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

// NaN is as it was, +0 is −0.
bool equal_cells(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape && std::ranges::equal(a.data, b.data, [](double x, double y) {
           return x == y || (std::isnan(x) && std::isnan(y));
         });
}

// A step that follows something wrong, by its own operation.
Step again(const Trace& wrong, const Trace& right, const Step& step) {
  // A division keeps the shape of what it divides.
  const bool as_input = step.how.op == Op::divide_by && right[step.how.inputs[0]].shape == step.value.shape;
  Step result = computed_instead(wrong, step, step.formula, step.how);
  if (as_input && wrong[step.how.inputs[0]].shape != step.value.shape) {
    Step shaped = step;
    shaped.value = wrong[step.how.inputs[0]];
    result = computed_instead(wrong, shaped, step.formula, step.how);
  }
  return result;
}

} // namespace

WrongRun run_wrong(const Trace& right, const std::vector<const Mistake*>& made, const std::string& at) {
  WrongRun run;
  run.trace.lesson = right.lesson, run.trace.tutorial = right.tutorial, run.trace.main = right.main;
  run.trace.spotlight = right.spotlight, run.trace.objective = right.objective, run.trace.dtype = right.dtype;
  const auto differs = [&](const std::string& name) { return std::ranges::count(run.changed, name) > 0; };
  for (const Step& step : right.steps) {
    try {
      Step now = std::ranges::any_of(step.how.inputs, differs) ? again(run.trace, right, step) : step;
      for (const Mistake* mistake : made) {
        if (!at.empty() && at != step.name) continue;
        if (auto wrong = mistake->wrong(run.trace, now)) {
          now = std::move(*wrong);
          run.made.push_back(step.name);
        }
      }
      if (!equal_cells(now.value, step.value)) run.changed.push_back(step.name);
      run.trace.steps.push_back(std::move(now));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::bad_data) throw;
      run.stops = error.what();
      run.stopped_at = step.name;
      break;
    }
  }
  return run;
}

} // namespace tfx
