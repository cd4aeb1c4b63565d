// Properties of counted parameters and products: a model of those sizes is built and run, and what it holds
// and does is counted one by one.

#include "input/model_input.hpp"
#include "judge/layer_properties.hpp"
#include "judge/probe.hpp"
#include "trace/cost.hpp"

#include <cmath>

namespace tfx {

namespace {

constexpr std::size_t tokens_read = 5;

bool counts(const Lesson& lesson) {
  return lesson.stage == Stage::sizes;
}

InputOptions widths(std::size_t heads) {
  InputOptions options;
  options.d_model = 6, options.d_ff = 10, options.heads = heads;
  return options;
}

// The sizes of the model that is drawn of the same widths: two layers a side, eleven tokens.
LessonInput sizes(const Lesson& lesson, std::size_t heads = 3, std::size_t n = tokens_read) {
  InputOptions options = widths(heads);
  options.layers = 2, options.vocab = 11, options.seq = n;
  return resolve_input(options, lesson);
}

LessonInput built() {
  LessonInput model = drawn_model(widths(3));
  for (const char* side : {"src", "tgt"}) replace(model, side, Tensor({tokens_read}, {1, 2, 3, 4, 5}));
  return model;
}

double number(const Trace& t, const char* name) {
  return t[name].data[0];
}

std::optional<Measured> counted_one_by_one(const Lesson& lesson, const LessonInput&,
                                           const Computation& compute) {
  if (!counts(lesson)) return {};
  std::size_t held = 0;
  for (const Step& step : built().given.steps)
    if (step.role == Role::parameter) held += step.value.size();
  return at_most(std::abs(number(compute(sizes(lesson)), "total") - static_cast<double>(held)), 0);
}

// Multiply-adds and FLOP of the products in a forward pass, each as its operation counts itself.
Work recorded_products() {
  const Trace run = lesson_named("model")->run(built());
  Work work;
  for (const Step& step : run.steps) {
    const Cost cost = cost_of(run, step);
    if (cost.macs == 0) continue;
    const bool has_bias = step.operation.inputs.size() == 3;
    work.macs += cost.macs, work.flops += cost.flops - (has_bias ? step.value.size() : 0);
  }
  return work;
}

std::optional<Measured> counted_while_running(const Lesson& lesson, const LessonInput&,
                                              const Computation& compute) {
  if (!counts(lesson)) return {};
  const double recorded = static_cast<double>(recorded_products().macs);
  return at_most(
      std::abs(static_cast<double>(tokens_read) * number(compute(sizes(lesson)), "macs") - recorded), 0);
}

std::optional<Measured> two_a_product(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!counts(lesson)) return {};
  const Work work = recorded_products();
  const Trace t = compute(sizes(lesson));
  return at_most(std::abs(number(t, "flops") / number(t, "macs") -
                          static_cast<double>(work.flops) / static_cast<double>(work.macs)),
                 0);
}

// Heads are columns of the same matrices.
std::optional<Measured> heads_cost_nothing(const Lesson& lesson, const LessonInput&,
                                           const Computation& compute) {
  if (!counts(lesson)) return {};
  const Trace few = compute(sizes(lesson, 1)), many = compute(sizes(lesson, 6));
  return at_most(std::max(std::abs(number(few, "total") - number(many, "total")),
                          std::abs(number(few, "macs") - number(many, "macs"))),
                 0);
}

// Each key more takes as much again: neither nothing nor more and more.
std::optional<Measured> keys_add_up(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!counts(lesson)) return {};
  const auto macs = [&](std::size_t n) { return number(compute(sizes(lesson, 3, n)), "macs"); };
  const double first = macs(2) - macs(1), second = macs(4) - macs(2);
  return Measured{first > 0 && second == 2 * first, second - 2 * first};
}

// A training step of one weight matrix, and what it keeps of that shape.
std::optional<Measured> kept_in_training(const Lesson& lesson, const LessonInput&,
                                         const Computation& compute) {
  if (!counts(lesson)) return {};
  const Lesson& train = *lesson_named("train");
  const Trace step = train.run(resolve_input({}, train));
  double kept = 0;
  for (const char* name : {"W_Q", "dW_Q", "m_W_Q", "v_W_Q"}) kept += step.has(name);
  const Trace t = compute(sizes(lesson));
  return at_most(std::abs(number(t, "training_bytes") / number(t, "weight_bytes") - kept), 0);
}

} // namespace

std::vector<Property> count_properties() {
  return {{"counted_one_by_one", counted_one_by_one},
          {"heads_cost_nothing", heads_cost_nothing},
          {"counted_while_running", counted_while_running},
          {"keys_add_up", keys_add_up},
          {"two_a_product", two_a_product},
          {"kept_in_training", kept_in_training}};
}

} // namespace tfx
