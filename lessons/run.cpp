#include "lessons/run.hpp"

#include "core/blas.hpp"
#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/resource.hpp"
#include "core/sha256.hpp"
#include "random/numpy_rng.hpp"
#include "steps/attention_steps.hpp"
#include "trace/checks.hpp"
#include "trace/cost.hpp"
#include "trace/gradients.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace tfx {

namespace {

using Comparison = LessonReference::Comparison;

constexpr const char *hash_suffix = ".sha256", *sample_suffix = ".sample", *sums_suffix = ".row_sums";

void add(Comparison& all, double ours, double reference, double size) {
  const double difference = ours == reference ? 0 : std::abs(ours - reference) / std::max(1.0, size);
  all.equal += difference <= rounding;
  all.worst = std::max(all.worst, difference);
  ++all.cells;
}

Comparison whole(const Tensor& ours, const Tensor& reference) {
  if (ours.shape != reference.shape) return {Comparison::By::cells, 0, reference.size(), 1};
  Comparison all;
  for (std::size_t i = 0; i < ours.size(); ++i)
    add(all, ours.data[i], reference.data[i], std::abs(reference.data[i]));
  return all;
}

Comparison by_hash(const Tensor& ours, const Tensor& digest) {
  const std::string_view bytes(reinterpret_cast<const char*>(ours.data.data()), ours.size() * sizeof(double));
  const bool same = std::ranges::equal(sha256(bytes), digest.data);
  return {Comparison::By::hash, same ? ours.size() : 0, ours.size(), same ? 0.0 : 1.0};
}

Comparison by_sample(const Tensor& ours, const Tensor& sample, const Tensor& sums) {
  Comparison all{Comparison::By::sample};
  Shape rows = ours.shape;
  if (!rows.empty()) rows.pop_back();
  if (rows != sums.shape || ours.size() == 0) return {all.by, 0, sample.size() + sums.size(), 1};
  NumpyRandom random(0);
  for (const double expected : sample.data) {
    const auto cell = static_cast<std::size_t>(random.randint(static_cast<std::int64_t>(ours.size())));
    add(all, ours.data[cell], expected, std::abs(expected));
  }
  const std::size_t width = ours.size() / sums.size();
  for (std::size_t row = 0; row < sums.size(); ++row) {
    double sum = 0, size = 0;
    for (std::size_t i = row * width; i < (row + 1) * width; ++i)
      sum += ours.data[i], size += std::abs(ours.data[i]);
    add(all, sum, sums.data[row], size);
  }
  return all;
}

} // namespace

std::optional<LessonReference> LessonReference::of(std::string run) {
  std::ranges::replace(run, ':', '-');
  const std::string file = "data/reference/lessons/" + run + ".npz";
  if (!has_resource(file)) return std::nullopt;
  return LessonReference(NpzReader(resource(file), file));
}

std::optional<Comparison> LessonReference::compare(const Lesson& lesson, const Step& step) const {
  const std::optional<std::string> name = name_of(lesson, step);
  if (!name) return std::nullopt;
  const auto read = [&](const char* suffix) { return file_.read(*name + suffix).values; };
  if (file_.has(*name + hash_suffix)) return by_hash(step.value, read(hash_suffix));
  if (file_.has(*name + sample_suffix)) return by_sample(step.value, read(sample_suffix), read(sums_suffix));
  return whole(step.value, read(""));
}

bool LessonReference::has(const std::string& name) const {
  return file_.has(name) || file_.has(name + hash_suffix) || file_.has(name + sample_suffix);
}

std::optional<std::string> LessonReference::name_of(const Lesson& lesson, const Step& step) const {
  const std::string own = lesson.command + "." + step.name;
  if (has(own)) return own;
  const bool is_shared = !lesson.takes(Input::cache) || step.operation.is(op::given);
  if (is_shared && has(step.name)) return step.name;
  const std::string on_the_way = "embed." + step.name;
  return has(on_the_way) ? std::optional(on_the_way) : std::nullopt;
}

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
    if (follows || !trace.has("masked")) refuse_not_finite(step, said("no number follows from it"));
  }
}

// Every tensor of the page beside NumPy's of the same run: the words say how many cells of how many tensors
// were compared, and in which way. No check where no reference is shipped.
void check_against_reference(Trace& trace, const Lesson& lesson, const std::string& run) {
  const auto reference = LessonReference::of(run);
  if (!reference) return;
  std::size_t equal = 0, total = 0, compared = 0, in_brief = 0;
  for (const Step& step : trace.steps) {
    const auto one = reference->compare(lesson, step);
    if (!one) continue;
    equal += one->equal, total += one->cells;
    ++compared;
    in_brief += one->by != LessonReference::Comparison::By::cells;
  }
  if (total == 0) return;
  const auto state = [&](const char* fact, std::size_t count) {
    trace.facts[fact] = static_cast<double>(count);
  };
  state("matched", equal), state("total", total);
  if (in_brief > 0) state("in_brief", in_brief);
  if (compared < trace.steps.size()) state("compared", compared), state("tensors", trace.steps.size());
  trace.check("equals_reference", equal == total, static_cast<double>(equal));
}

// attention-block's check_gradient_flow, of the output and, as its threshold was meant, of the gradients of
// what was given: experiment "gradient_flow", facts "flow_low", "flow_high", "flow_threshold".
void show_gradient_flow(Trace& trace) {
  constexpr double low = 1e-6, high = 1e3, threshold = 1e-7;
  if (trace.gradients.empty() || !trace.has("output")) return;
  std::vector<const Step*> shown{&trace.step_named("output")};
  for (const GradientCheck& check : trace.gradients)
    if (trace.step_named(check.of).operation.is(op::given))
      shown.push_back(&trace.step_named(check.gradient));
  Experiment flow{"gradient_flow",
                  {"flow_std", "flow_largest", "flow_small", "flow_large"},
                  {},
                  Tensor({shown.size(), 4})};
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const arma::vec cells(shown[i]->value.data);
    const double deviation = arma::stddev(cells, 1), largest = arma::abs(cells).max();
    const double looked_at = i == 0 ? deviation : largest, least = i == 0 ? low : threshold;
    const double row[] = {deviation, largest, looked_at < least ? 1.0 : 0.0, looked_at > high ? 1.0 : 0.0};
    for (std::size_t j = 0; j < 4; ++j) flow.values.at({i, j}) = row[j];
    flow.rows.push_back(shown[i]->name);
  }
  trace.experiments.push_back(std::move(flow));
  trace.facts["flow_low"] = low, trace.facts["flow_high"] = high, trace.facts["flow_threshold"] = threshold;
}

} // namespace

LessonRun run_lesson(const Lesson& lesson, const InputOptions& options, RunFor purpose) {
  reserve_blas_memory();
  keep_freed_memory();
  LessonInput input = resolve_input(options, lesson);
  input.purpose = purpose;
  Trace trace = lesson.run(input);
  refuse_not_finite(trace, input.masked_row);
  const bool has_gradients = std::ranges::count(trace.steps, Role::gradient, &Step::role) > 0;
  if (options.grad && !has_gradients) add_gradients(trace), show_gradient_flow(trace);
  if (trace.purpose == RunFor::times) time_steps(trace);
  // Draws after the last one that this lesson shows need not be repeated.
  const auto shown = [&](const std::string& line) { return trace.has(line.substr(0, line.find(' '))); };
  while (!trace.numpy.empty() && !shown(trace.numpy.back())) trace.numpy.pop_back();
  if (!input.reference.empty()) check_against_reference(trace, lesson, input.reference);
  return {std::move(trace), input.notes};
}

const Lesson& find_lesson(std::string_view command) {
  if (const Lesson* lesson = lesson_named(command)) return *lesson;
  throw defect("there is no lesson " + std::string(command));
}

} // namespace tfx
