// What goes wrong in a training step, behind the loss: in what the optimizer makes of the gradients.

#include "core/number.hpp"
#include "page/optimizers.hpp"
#include "trace/mistake.hpp"

#include <cmath>

namespace tfx {

namespace {

bool is_average(const Step& right) {
  return right.operation.is(op::moving_average);
}
bool is_average_of_squares(const Step& right) {
  return right.operation.is(op::moving_average_of_squares);
}
bool is_correction(const Step& right) {
  return right.name.starts_with("m_hat_") || right.name.starts_with("v_hat_");
}
bool is_update(const Step& right) {
  return right.name.starts_with("update_");
}

// A second backward pass adds its gradients to those of the first: on the same data they double.
std::optional<Step> not_zeroed(const Trace& t, const Step& right) {
  if (right.role != Role::gradient || right.name.front() != 'd') return {};
  const Step* of = t.find(right.name.substr(1));
  if (!of || !of->operation.is(op::given)) return {};
  Tensor value = right.value;
  for (double& cell : value.data) cell *= 2;
  return valued_instead(right, right.name + " + " + right.formula, std::move(value));
}

// ΔW = +lr·direction
std::optional<Step> ascent(const Trace& t, const Step& right) {
  if (!is_update(right)) return {};
  const std::string& along = right.operation.inputs[0];
  const std::string rate = right.operation.constant_text.substr(std::string_view("(−").size());
  const std::string lr = rate.substr(0, rate.size() - 1);
  return computed_instead(t, right, lr + "·" + along,
                          op::multiply_by(along).with(-right.operation.constant, lr));
}

// An average over another 1 − βᵗ.
Step corrected_by(const Trace& t, const Step& right, double divisor, const std::string& text) {
  const std::string& average = right.operation.inputs[0];
  return computed_instead(t, right, average + (divisor == 1 ? "" : "/" + text),
                          op::divide_by(average).with(divisor, text));
}

const page::AdamStep usual; // the βs are the same in every run

// Of m, or of v.
double beta_of(const Step& right) {
  return right.name.starts_with("m_") ? usual.beta_1 : usual.beta_2;
}
double other_beta(const Step& right) {
  return right.name.starts_with("m_") ? usual.beta_2 : usual.beta_1;
}

std::string in_formula(double value) {
  return format_number(value, 17);
}

// t counted once more before it is used.
std::optional<Step> step_ahead(const Trace& t, const Step& right) {
  if (!is_correction(right)) return {};
  const double beta = beta_of(right), step = std::log(1 - right.operation.constant) / std::log(beta) + 1;
  return corrected_by(t, right, 1 - std::pow(beta, step), "(1 − " + in_formula(beta) + "^(t + 1))");
}

std::optional<Step> betas_swapped(const Trace& t, const Step& right) {
  const double other = other_beta(right);
  if (is_average(right) || is_average_of_squares(right)) {
    const Operation instead = Operation(right.operation).with(other, in_formula(other));
    return computed_instead(t, right, instead.kind->formula(instead), instead);
  }
  if (!is_correction(right)) return {};
  return corrected_by(t, right, 1 - other, "(1 − " + in_formula(other) + "^t)");
}

// v of g, not of g²: the root of a negative number follows.
std::optional<Step> not_squared(const Trace& t, const Step& right) {
  if (!is_average_of_squares(right)) return {};
  const Operation instead = op::moving_average(right.operation.inputs)
                                .with(right.operation.constant, right.operation.constant_text);
  return computed_instead(t, right, instead.kind->formula(instead), instead);
}

// v of m², the average's square, not of the gradient's.
std::optional<Step> squared_average(const Trace& t, const Step& right) {
  if (!is_average_of_squares(right)) return {};
  const std::string m = "m_" + right.operation.inputs[1].substr(1);
  const Operation instead = op::moving_average_of_squares(right.operation.inputs[0], m)
                                .with(right.operation.constant, right.operation.constant_text);
  return computed_instead(t, right, instead.kind->formula(instead), instead);
}

std::optional<Step> moments_swapped(const Trace& t, const Step& right) {
  if (!right.operation.is(op::adam_direction)) return {};
  const std::string &m_hat = right.operation.inputs[0], &v_hat = right.operation.inputs[1];
  const Operation instead =
      op::adam_direction(v_hat, m_hat).with(right.operation.constant, right.operation.constant_text);
  return computed_instead(t, right, instead.kind->formula(instead), instead);
}

// AdamW's decay, but as Adam's weight_decay has it: λ·W joins the gradient, and m and v average it too.
std::optional<Step> l2_for_decay(const Trace& t, const Step& right) {
  if (is_average(right) || is_average_of_squares(right)) {
    const std::string W = right.operation.inputs[1].substr(1);
    const Step* decay = t.find("decay_" + W);
    if (!decay) return {};
    const Tensor &before = cells_beside(t, right, right.operation.inputs[0]),
                 &g = cells_beside(t, right, right.operation.inputs[1]),
                 &shrunk = cells_beside(t, right, decay->name);
    const double beta = right.operation.constant;
    const bool squared = is_average_of_squares(right);
    return cells_instead(right,
                         right.operation.constant_text + "·" + right.operation.inputs[0] + " + (1 − " +
                             right.operation.constant_text + ")·(" + right.operation.inputs[1] + " + " +
                             decay->name + ")" + (squared ? "²" : ""),
                         [&](std::size_t i) {
                           const double now = g.data[i] + shrunk.data[i];
                           return beta * before.data[i] + (1 - beta) * (squared ? now * now : now);
                         });
  }
  if (!right.name.starts_with("descent_")) return {};
  const std::string& direction = right.operation.inputs[0];
  return computed_instead(t, right, direction, op::multiply_by(direction).with(1, "1"));
}

// W −= lr·direction + λ·W: the decay does not go with the rate.
std::optional<Step> decay_without_rate(const Trace& t, const Step& right) {
  if (!is_update(right)) return {};
  const Step& along = t.step_named(right.operation.inputs[0]);
  if (!along.name.starts_with("descent_")) return {};
  const std::string &direction = along.operation.inputs[0], &decay = along.operation.inputs[1];
  const Tensor &step = cells_beside(t, right, direction), &shrunk = cells_beside(t, right, decay);
  return cells_instead(
      right, right.operation.constant_text + "·" + direction + " − " + decay,
      [&](std::size_t i) { return right.operation.constant * step.data[i] - shrunk.data[i]; });
}

} // namespace

std::vector<Mistake> training_mistakes() {
  return {{"train.gradients_not_zeroed", not_zeroed},
          {"train.ascent", ascent},
          {"train.rate_squared", {{"update_#", "−c²·A", "−c²·A"}}},
          {"train.overwritten", {{"@add by update_#", "B"}}},
          {"adam.no_bias_correction", {{"m_hat_#, v_hat_#", "A"}}},
          {"adam.step_ahead", step_ahead},
          {"adam.betas_swapped", betas_swapped},
          {"adam.not_squared", not_squared},
          {"adam.squared_average", squared_average},
          {"adam.eps_inside", {{"@adam_direction", "A/√(B + c)", "A/√(B + ε)"}}},
          {"adam.no_root", {{"@adam_direction", "A/(B + c)", "A/(B + ε)"}}},
          {"adam.moments_swapped", moments_swapped},
          Mistake{"adam.l2_for_decay", l2_for_decay}.as_a_whole(),
          {"adam.no_decay", {{"descent_#", "A"}}},
          {"adam.decay_without_rate", decay_without_rate}};
}

} // namespace tfx
