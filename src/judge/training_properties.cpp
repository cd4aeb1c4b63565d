// Properties of a training step, on a small model of its own.

#include "judge/layer_properties.hpp"
#include "judge/probe.hpp"
#include "trace/checks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

using arma::vec;

bool trains(const Lesson& lesson) {
  return lesson.stage == Stage::training;
}

LessonInput step_of(const Lesson& lesson, Optimizer optimizer, double learning_rate = 0.01) {
  LessonInput input = causal_probe(lesson, {.n = 4, .d_model = 3, .d_v = 3});
  input.optimizer = optimizer, input.optimizer_step.learning_rate = learning_rate;
  return input;
}

vec cells(const Trace& t, const std::string& name) {
  return t[name].data;
}

vec change(const Trace& t) {
  return cells(t, "W_Q_after") - cells(t, "W_Q");
}

// An average of one number is that number, and so is the average of its square.
std::optional<Measured> first_average(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!trains(lesson)) return {};
  const Trace t = compute(step_of(lesson, Optimizer::adam));
  const vec g = cells(t, "dW_Q");
  return at_most(std::max(relative_difference(arma::mat(cells(t, "m_hat_W_Q")), arma::mat(g)),
                          relative_difference(arma::mat(cells(t, "v_hat_W_Q")), arma::mat(g % g))),
                 rounding);
}

// v is the longer memory: less of the first gradient has come into it than into m.
std::optional<Measured> longer_memory(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!trains(lesson)) return {};
  const Trace t = compute(step_of(lesson, Optimizer::adam));
  const vec g = cells(t, "dW_Q");
  const double in_m = arma::norm(cells(t, "m_W_Q")) / arma::norm(g),
               in_v = arma::norm(cells(t, "v_W_Q")) / arma::norm(vec(g % g));
  return at_least(in_m - in_v, 0);
}

// Gradients of a millionth move their weights by the learning rate, as large ones do.
std::optional<Measured> size_drops_out(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!trains(lesson)) return {};
  const double rate = 0.01, least = 1e-7;
  LessonInput input = step_of(lesson, Optimizer::adam, rate);
  for (Step& step : input.given.steps)
    if (step.name == "X") step.value = times(step.value, 0.03); // the gradient of W_Q grows with X³
  const Trace t = compute(input);
  const vec g = arma::abs(cells(t, "dW_Q")), moved = arma::abs(change(t)) / rate;
  double off = 0;
  for (std::size_t i = 0; i < g.n_elem; ++i)
    if (g(i) > least) off = std::isnan(moved(i)) ? 1 : std::max(off, std::abs(moved(i) - 1));
  return Measured{arma::any(g > least) && off <= 2 * input.optimizer_step.epsilon / least, off};
}

// A step that is short enough lowers the loss of its own batch.
std::optional<Measured> loss_falls(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!trains(lesson)) return {};
  double worst = -std::numeric_limits<double>::infinity();
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam}) {
    const Trace t = compute(step_of(lesson, optimizer, 1e-4));
    const double rose = t["loss_after"].data[0] - t["loss"].data[0];
    worst = std::isnan(rose) ? rose : std::max(worst, rose);
  }
  return Measured{worst < 0, worst};
}

// Twice the learning rate moves every weight twice as far.
std::optional<Measured> rate_scales(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!trains(lesson)) return {};
  double off = 0;
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam, Optimizer::adamw}) {
    const auto moved = [&](double rate) {
      LessonInput input = step_of(lesson, optimizer, rate);
      if (optimizer == Optimizer::adamw) input.optimizer_step.decay = 0.5;
      return change(compute(input));
    };
    const vec once = moved(0.01), twice = moved(0.02);
    off = std::max(off, absolute_difference(twice, arma::mat(2 * once)));
  }
  return at_most(off, rounding);
}

LessonInput decaying_step(const Lesson& lesson, double decay) {
  LessonInput input = step_of(lesson, Optimizer::adamw);
  input.optimizer_step.decay = decay;
  return input;
}

// Decay is apart from the gradient: the averages do not know of it.
std::optional<Measured> decay_apart(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!trains(lesson)) return {};
  const Trace without = compute(decaying_step(lesson, 0)), with = compute(decaying_step(lesson, 0.5));
  return at_most(std::max(relative_difference(with["m_W_Q"], without["m_W_Q"]),
                          relative_difference(with["v_W_Q"], without["v_W_Q"])),
                 rounding);
}

// Beside a step without it, decay takes lr·λ·W off, whatever the gradient says.
std::optional<Measured> decay_shrinks(const Lesson& lesson, const LessonInput&, const Computation& compute) {
  if (!trains(lesson)) return {};
  const Trace without = compute(decaying_step(lesson, 0)), with = compute(decaying_step(lesson, 0.5));
  const vec lost = cells(without, "W_Q_after") - cells(with, "W_Q_after");
  const page::AdamStep step = decaying_step(lesson, 0.5).optimizer_step;
  const double share = step.learning_rate * step.decay;
  return at_most(absolute_difference(lost, arma::mat(share * cells(with, "W_Q"))), rounding);
}

} // namespace

std::vector<Property> training_properties() {
  return {{"first_average", first_average},   {"longer_memory", longer_memory},
          {"size_drops_out", size_drops_out}, {"loss_falls", loss_falls},
          {"rate_scales", rate_scales},       {"decay_apart", decay_apart},
          {"decay_shrinks", decay_shrinks}};
}

} // namespace tfx
