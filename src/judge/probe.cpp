#include "judge/probe.hpp"

#include "input/options.hpp"
#include "random/numpy_rng.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <limits>

namespace tfx {

namespace {

void unmask(LessonInput& input) {
  input.causal = false, input.pad = 0;
}

} // namespace

bool projects(const Lesson& lesson) {
  return lesson.takes(Input::W_QKV) && !takes<Input::cache, Input::todays_block>(lesson);
}

std::string keys_source(const Lesson& lesson) {
  return lesson.takes(Input::memory) ? "memory" : "X";
}

LessonInput probe(const Lesson& lesson, const ProbeSize& size) {
  InputOptions options;
  options.seed = 7, options.init = Init::normal;
  const bool is_block = lesson.takes(Input::todays_block); // four heads of one pair each, two of keys
  options.n_q = size.n, options.d_model = is_block ? 8 : size.d_model;
  if (size.batch) options.batch = size.batch;
  if (lesson.takes(Input::memory)) options.n_k = size.n + 1;
  if (lesson.takes(Input::heads))
    options.heads = size.heads;
  else if (is_block)
    options.heads = 4;
  else
    options.d_v = size.d_v;
  LessonInput input = resolve_input(options, lesson);
  unmask(input);
  if (lesson.causal_by_default()) { // it is about masks: this one blocks nothing
    const Shape shape{size.n, size.n};
    input.given.add_input("mask_given", "ones", Tensor(shape, std::vector<double>(size.n * size.n, 1)), {});
  }
  return input;
}

LessonInput causal_probe(const Lesson& lesson, const ProbeSize& size) {
  LessonInput input = probe(lesson, size);
  std::erase_if(input.given.steps, [](const Step& step) { return step.name == "mask_given"; });
  input.causal = true;
  return input;
}

LessonInput padded_probe(const Lesson& lesson) {
  LessonInput input = causal_probe(lesson);
  unmask(input);
  input.pad = 1;
  return input;
}

void replace(LessonInput& input, const std::string& name, Tensor value) {
  for (Step& step : input.given.steps)
    if (step.name == name) {
      step.value = std::move(value);
      step.labels.assign(step.value.rank(), {});
      return;
    }
  input.given.add_input(name, "probe", std::move(value), {});
}

void zero(LessonInput& input, const std::string& name) {
  replace(input, name, Tensor(input.given[name].shape));
}

Tensor times(Tensor A, double factor) {
  for (double& x : A.data) x *= factor;
  return A;
}

Tensor noise(const Shape& shape, std::uint32_t seed) {
  return NumpyRandom(seed).randn(shape);
}

Tensor with_other_row(Tensor A, std::size_t i) {
  const std::size_t width = A.shape.back(), rows = A.shape[A.rank() - 2];
  const Tensor other = noise(A.shape);
  for (std::size_t k = 0; k < A.size(); ++k)
    if (k / width % rows == i) A.data[k] = other.data[k] - A.data[k];
  return A;
}

const Tensor& attended(const Trace& trace) {
  for (const char* name : {"attention", "output", "weights"})
    if (trace.has(name)) return trace[name];
  return trace["scores"];
}

double row_moved(const Tensor& a, const Tensor& b, std::size_t i) {
  if (a.shape != b.shape || a.rank() < 2 || i >= a.shape[a.rank() - 2])
    return std::numeric_limits<double>::infinity();
  double moved = 0;
  for (std::size_t k = 0; k < matrix_count(a); ++k)
    moved =
        std::max(moved, relative_difference(arma::mat(matrix(a, k).row(i)), arma::mat(matrix(b, k).row(i))));
  return moved;
}

Measured at_most(double value, double limit) {
  return {value <= limit, value};
}

Measured at_least(double value, double limit) {
  return {value >= limit, value};
}

} // namespace tfx
