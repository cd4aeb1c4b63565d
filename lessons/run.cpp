#include "lessons/run.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/resource.hpp"
#include "io/npz.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/gradients.hpp"
#include "trace/timing.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tfx {

namespace {

/// NaN and +∞ never pass. With a mask NaN may stand where nobody looks: the scores that somebody sees are
/// judged when they are masked, and here what is made of their weights. Who asks for NaN in rows that see
/// nothing gets it.
void refuse_not_finite(const Trace& trace, FullyMaskedRow policy) {
  if (policy == FullyMaskedRow::nan && trace.facts.contains("blocked_rows")) return;
  std::set<std::string> of_weights;
  for (const Step& step : trace.steps) {
    const bool follows =
        step.name == "weights" ||
        std::ranges::any_of(step.operation.inputs, [&](const auto& i) { return of_weights.contains(i); });
    if (follows) of_weights.insert(step.name);
    if (follows || !trace.has("masked")) refuse_not_finite(step, "no number follows from it");
  }
}

std::size_t equal_cells(const Tensor& ours, const Tensor& reference) {
  if (ours.shape != reference.shape) return 0;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const double a = ours.data[i], b = reference.data[i];
    equal += a == b || std::abs(a - b) <= rounding * std::max(1.0, std::abs(b));
  }
  return equal;
}

// Every tensor beside NumPy's of the same run, which is shipped with the program and was checked against
// PyTorch: equal is 1e-12 relative to max(1, |x|). No check where none is shipped.
void check_against_reference(Trace& trace, const Lesson& lesson, const std::string& run) {
  std::string file = "data/reference/lessons/" + run + ".npz";
  std::replace(file.begin(), file.end(), ':', '-');
  if (!has_resource(file)) return;
  const NpzReader reference(resource(file), file);
  std::size_t equal = 0, total = 0;
  for (const Step& step : trace.steps) {
    const std::optional<std::string> name = name_in(reference, lesson, step);
    if (!name) continue;
    const Tensor expected = reference.read(*name).values;
    equal += equal_cells(step.value, expected);
    total += expected.size();
  }
  if (total == 0) return;
  trace.facts["matched"] = static_cast<double>(equal);
  trace.facts["total"] = static_cast<double>(total);
  trace.check("equals_reference", equal == total, static_cast<double>(equal));
}

} // namespace

std::optional<std::string> name_in(const NpzReader& reference, const Lesson& lesson, const Step& step) {
  const std::string own = lesson.command + "." + step.name;
  if (reference.has(own)) return own;
  const bool is_shared = lesson.stage != Stage::decoding || step.operation.is(op::given);
  return is_shared && reference.has(step.name) ? std::optional(step.name) : std::nullopt;
}

LessonRun run_lesson(const Lesson& lesson, const InputOptions& options, RunFor purpose) {
  reserve_blas_memory();
  keep_freed_memory();
  LessonInput input = resolve_input(options, lesson);
  input.purpose = purpose;
  Trace trace = lesson.run(input);
  refuse_not_finite(trace, input.masked_row);
  const bool has_gradients = std::ranges::count(trace.steps, Role::gradient, &Step::role) > 0;
  if (options.grad && !has_gradients) add_gradients(trace);
  if (trace.purpose == RunFor::times) time_steps(trace);
  // Draws after the last one that this lesson shows need not be repeated.
  const auto shown = [&](const std::string& line) { return trace.has(line.substr(0, line.find(' '))); };
  while (!trace.numpy.empty() && !shown(trace.numpy.back())) trace.numpy.pop_back();
  if (!input.reference.empty()) check_against_reference(trace, lesson, input.reference);
  return {std::move(trace), input.notes};
}

const Lesson& find_lesson(std::string_view command) {
  if (const Lesson* lesson = lesson_named(command)) return *lesson;
  throw Error(ErrorKind::internal, "there is no lesson " + std::string(command));
}

} // namespace tfx
