// Lesson 14: one step of a training, every number of it: loss, gradients, what the optimizer makes of them,
// the weights after it, and the loss of the same batch again. Source: Kingma & Ba 2015, algorithm 1;
// Loshchilov & Hutter 2019, algorithm 2; attention-block, "a training step", which stops at the gradients.

#include "core/memory.hpp"
#include "input/lesson_input.hpp"
#include "lessons/train/experiments.hpp"
#include "steps/attention_steps.hpp"
#include "steps/loss_steps.hpp"
#include "trace/gradients.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <set>

namespace tfx {

namespace {

std::string number(double value) {
  return fmt::format("{}", value);
}

// What the optimizer does to one weight matrix or bias W of the run, whose gradient is there.
class Update {
public:
  Update(Trace& trace, const LessonInput& input, std::string W)
      : t_(trace), input_(input), step_(input.optimizer_step), W_(std::move(W)) {}

  void add() {
    const std::string lr = number(step_.learning_rate), along = descent();
    record("update_", op::multiply_by(along).with(-step_.learning_rate, "(−" + lr + ")"),
           "−" + lr + "·" + along);
    t_.add(W_ + "_after", op::add(W_, "update_" + W_), Role::result);
  }

private:
  void record(const std::string& what, Operation operation, const std::string& formula = {}) {
    t_.add(what + W_, std::move(operation), role_, formula);
  }

  // Against what the update goes.
  std::string descent() {
    if (input_.optimizer == Optimizer::sgd) return gradient_name(W_);
    const bool decays = input_.optimizer == Optimizer::adamw;
    if (decays)
      record("decay_", op::multiply_by(W_).with(step_.decay, number(step_.decay)),
             number(step_.decay) + "·" + W_);
    add_direction();
    if (!decays) return "direction_" + W_;
    record("descent_", op::add("direction_" + W_, "decay_" + W_));
    return "descent_" + W_;
  }

  // Adam: the average of the gradients over the root of the average of their squares.
  void add_direction() {
    const std::string d = gradient_name(W_), t = number(step_.t);
    for (const char* moment : {"m0_", "v0_"}) {
      give(t_, input_, moment + W_);
      if (!t_.has(moment + W_)) t_.add_input(moment + W_, "0", Tensor(t_[W_].shape), t_.find(W_)->labels);
    }
    record("m_", op::moving_average("m0_" + W_, d).with(step_.beta_1, number(step_.beta_1)));
    record("v_", op::moving_average_of_squares("v0_" + W_, d).with(step_.beta_2, number(step_.beta_2)));
    const auto corrected = [&](const std::string& moment, double beta) {
      record(moment + "_hat_",
             op::divide_by(moment + "_" + W_)
                 .with(1 - std::pow(beta, step_.t), "(1 − " + number(beta) + "^" + t + ")"));
    };
    corrected("m", step_.beta_1), corrected("v", step_.beta_2);
    record("direction_",
           op::adam_direction("m_hat_" + W_, "v_hat_" + W_).with(step_.epsilon, number(step_.epsilon)));
  }

  Trace& t_;
  const LessonInput& input_;
  const page::AdamStep& step_;
  const std::string W_;
  const Role role_ = W_ == "W_Q" ? Role::result : Role::recap; ///< one is shown, the others are moved alike
};

// "Q·Kᵀ" with "Q_after" where Q was read.
std::string with_after(std::string formula, const std::string& name) {
  const auto is_name = [&](std::size_t i) {
    return i < formula.size() && (std::isalnum(static_cast<unsigned char>(formula[i])) || formula[i] == '_');
  };
  for (std::size_t at = 0; (at = formula.find(name, at)) != std::string::npos; at += name.size())
    if (!is_name(at - 1) && !is_name(at + name.size())) formula.insert(at + name.size(), "_after");
  return formula;
}

// Before the way back begins: of each weight its gradient, its moments and what is made of them, twice where
// the optimizers are compared; of all else gradients, differences and the forward pass again. Measured by the
// limit at which runs of several shapes fit: within a tenth.
void require_room(const Trace& t) {
  constexpr double of_weight = 22, of_other = 3.5;
  double numbers = 0;
  for (const Step& step : t.steps)
    numbers += (step.role == Role::parameter ? of_weight : of_other) * static_cast<double>(step.value.size());
  require_memory(sizeof(double) * numbers, said("the gradients of this run"));
}

// What was computed of `learned` up to the loss, once more with what they are after the step.
void add_forward_again(Trace& t, const std::vector<std::string>& learned, std::size_t forward) {
  std::set<std::string> other(learned.begin(), learned.end());
  for (std::size_t i = 0; i < forward; ++i) {
    const Step& step = t.steps[i];
    Operation operation = step.operation;
    std::string formula = step.formula;
    bool moves = false;
    for (std::size_t k = 0; k < operation.inputs.size(); ++k) {
      if (!other.contains(operation.inputs[k])) continue;
      moves = moves || vjp(t.computed(step), k);
      formula = with_after(formula, operation.inputs[k]);
      operation.inputs[k] += "_after";
    }
    if (!moves) continue; // a mask, a target: they have the shape of what moves, and nothing else of it
    other.insert(step.name);
    const Labels labels = step.labels;
    t.add(step.name + "_after", std::move(operation), step.name == "loss" ? Role::result : Role::recap,
          formula);
    t.steps.back().labels = labels;
  }
}

} // namespace

Trace run_train(const LessonInput& input) {
  Trace t = begin_trace("train", input, "W_Q_after");
  add_logits(t, input, Role::recap);
  add_loss(t, input, Role::recap);
  const std::size_t forward = t.steps.size();
  require_room(t);
  add_gradients(t);
  const std::vector<std::string> learned = learned_tensors(t);
  for (const std::string& W : learned) Update(t, input, W).add();
  add_forward_again(t, learned, forward);
  check_step(t, input);
  compare_optimizers(t, input);
  show_schedule(t);
  return t;
}

} // namespace tfx
