// Lesson train: one step of a training, every number of it: loss, gradients, what the optimizer makes of
// them, the weights after it, and the loss of the same batch again. Source: Kingma & Ba 2015, algorithm 1;
// Loshchilov & Hutter 2019, algorithm 2; attention-block, "a training step", which stops at the gradients.

#include "core/memory.hpp"
#include "core/number.hpp"
#include "input/lesson_input.hpp"
#include "steps/attention_steps.hpp"
#include "steps/loss_steps.hpp"
#include "trace/checks.hpp"
#include "trace/gradients.hpp"
#include "trace/trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace tfx {

namespace {

using arma::vec;
using Weights = std::map<std::string, Tensor>;

constexpr const char* names_of_optimizers[] = {"SGD", "Adam", "AdamW"};

vec cells(const Tensor& tensor) {
  return tensor.data;
}

// The parameters that have a gradient.
std::vector<std::string> learned_tensors(const Trace& t) {
  std::vector<std::string> names;
  for (const Step& step : t.steps)
    if (step.role == Role::parameter && t.has(gradient_name(step.name))) names.push_back(step.name);
  return names;
}

// W after the optimizer's step by the page's formula, on the cells of matrices and biases alike.
Weights moved(const Trace& t, Optimizer optimizer, const page::AdamStep& step) {
  Weights after;
  for (const std::string& name : learned_tensors(t)) {
    const vec W = cells(t[name]), g = cells(t[gradient_name(name)]);
    const auto before = [&](const std::string& moment) { // 0, where nothing else is given
      return t.has(moment + name) ? cells(t[moment + name]) : vec(W.n_elem);
    };
    const vec result = optimizer == Optimizer::sgd
                           ? vec(page::sgd(W, g, step.learning_rate))
                           : vec(page::adam(W, g, {before("m0_"), before("v0_")}, step).W);
    after[name] = Tensor(t[name].shape, {result.begin(), result.end()});
  }
  return after;
}

double loss_with(const Trace& t, const Weights& weights) {
  std::map<std::string, Replacement> instead;
  for (const auto& [name, W] : weights) instead[name] = [&moved = W](const Tensor&) { return moved; };
  return Rerun(t, instead, "loss")["loss"].data[0];
}

struct Moved {
  double squares = 0, largest = 0;

  void by(const vec& change) {
    squares += arma::dot(change, change);
    largest = std::max(largest, arma::abs(change).max());
  }
};

// Checks: the loss of the same batch is lower than before, the recorded steps are the page's formula, and
// how far Adam's first step goes. Facts of the step.
void check_step(Trace& t, const LessonInput& input) {
  const page::AdamStep& step = input.optimizer_step;
  const double before = t["loss"].data[0], after = t["loss_after"].data[0], lr = step.learning_rate;
  double promised = 0, ones = 0, all = 0, largest = 0, uphill = 0, off = 0;
  const Weights by_formula = moved(t, input.optimizer, step);
  for (const auto& [name, W] : by_formula) {
    const vec g = cells(t[gradient_name(name)]), update = cells(t["update_" + name]);
    promised += arma::dot(g, cells(t[name + "_after"]) - cells(t[name]));
    uphill = std::max(uphill, arma::max(g % update));
    off = std::max(off, relative_difference(t[name + "_after"], W));
    if (!t.has("direction_" + name)) continue;
    const vec size = arma::abs(cells(t["direction_" + name]));
    largest = std::max(largest, size.max());
    ones += static_cast<double>(arma::accu(arma::abs(size - 1) < 1e-3)),
        all += static_cast<double>(size.n_elem);
  }
  t.check_at_most("formula", off, rounding);
  if (step.decay == 0) t.check_at_most("against_gradient", uphill, 0);
  t.check_at_most("nothing_without_rate",
                  std::abs(loss_with(t, moved(t, input.optimizer, {.learning_rate = 0})) - before), 0);
  if (all > 0 && step.t == 1) t.check_at_most("at_most_one", largest, 1 + rounding);
  if (after != before) t.facts[after < before ? "fell" : "rose"] = std::abs(after - before);
  t.facts["loss_before"] = before, t.facts["loss_later"] = after;
  t.facts["promised"] = promised, t.facts["came"] = after - before;
  t.facts["lr"] = lr;
  t.facts["optimizer"] = std::string(names_of_optimizers[static_cast<std::size_t>(input.optimizer)]);
  std::string others;
  for (const std::string& name : learned_tensors(t))
    if (name != "W_Q") others += (others.empty() ? "" : ", ") + name;
  t.facts["others"] = others;
  if (step.decay > 0) t.facts["decay"] = step.decay;
  if (input.optimizer == Optimizer::sgd) return;
  const vec g = arma::abs(cells(t["dW_Q"]));
  if (g.min() > 0) t.facts["ratio"] = g.max() / g.min();
  t.facts["ones"] = ones, t.facts["cells"] = all, t.facts["t"] = step.t;
  t.facts["kept_m"] = step.beta_1, t.facts["kept_v"] = step.beta_2;
  t.facts["share_m"] = 1 - step.beta_1, t.facts["share_v"] = 1 - step.beta_2;
  t.facts["part_m"] = 1 - std::pow(step.beta_1, step.t),
  t.facts["part_v"] = 1 - std::pow(step.beta_2, step.t);
  t.facts["uncorrected"] = (1 - step.beta_1) / std::sqrt(1 - step.beta_2);
}

// A row each of SGD, Adam and AdamW on this batch: the loss after their step, its length, its largest cell.
void compare_optimizers(Trace& t, const LessonInput& input) {
  Experiment table{"optimizers", {"loss_after", "step_length", "largest_change"}, {}, {}};
  table.rows = {std::begin(names_of_optimizers), std::end(names_of_optimizers)};
  arma::mat rows(3, 3);
  page::AdamStep step = input.optimizer_step;
  for (const Optimizer optimizer : {Optimizer::sgd, Optimizer::adam, Optimizer::adamw}) {
    const bool decays = optimizer == Optimizer::adamw, has_own = input.optimizer == Optimizer::adamw;
    step.decay = !decays ? 0 : has_own ? input.optimizer_step.decay : usual_decay;
    const Weights after = moved(t, optimizer, step);
    Moved change;
    for (const auto& [name, W] : after) change.by(cells(W) - cells(t[name]));
    rows.row(static_cast<arma::uword>(optimizer)) = {loss_with(t, after), std::sqrt(change.squares),
                                                     change.largest};
  }
  t.facts["sgd_largest"] = rows(0, 2), t.facts["adam_largest"] = rows(1, 2);
  table.values = to_tensor(rows);
  t.experiments.push_back(std::move(table));
}

// The learning rate over the steps of the paper's training, and what it would be without a warm-up.
void show_schedule(Trace& t) {
  constexpr double d_model = 512, warmup = 4000; // the paper's
  const arma::vec steps = {1, warmup / 10, warmup, 4 * warmup, 25 * warmup};
  Experiment table{"schedule", {"with_warm_up", "without_warm_up"}, {}, {}};
  arma::mat rows(steps.n_elem, 2);
  for (arma::uword i = 0; i < steps.n_elem; ++i) {
    table.rows.push_back(with_separators(static_cast<std::size_t>(steps(i))));
    rows.row(i) = {page::warmed_up_rate(steps(i), d_model, warmup),
                   page::warmed_up_rate(steps(i), d_model, 1)};
  }
  table.values = to_tensor(arma::mat(1000 * rows)); // or the first rates have no digits
  for (const double rises_for : {warmup, 1.0}) {
    table.plots.push_back({rises_for > 1 ? "rate_plotted" : "without_warm_up", {}});
    Plot& plot = table.plots.back();
    for (double percent = 1; percent <= 100; ++percent)
      plot.values.push_back(1000 * page::warmed_up_rate(percent / 100 * steps(3), d_model, rises_for));
  }
  t.facts["plotted"] = with_separators(static_cast<std::size_t>(steps(3)));
  t.facts["paper_width"] = d_model;
  t.facts["warmup"] = with_separators(static_cast<std::size_t>(warmup));
  t.facts["times"] = with_separators(static_cast<std::size_t>(std::round(rows(0, 1) / rows(0, 0))));
  t.experiments.push_back(std::move(table));
}

// A row a place, as many as a screen has room for: what its label got before the step and after it.
void draw_places(Trace& t) {
  constexpr std::size_t most = 6;
  const std::vector<AskedPlace> before = asked_places(t), after = asked_places(t, "_after");
  BarPicture picture{{"idea_before", "idea_after"}, {}};
  for (std::size_t i = 0; i < std::min(most, before.size()); ++i) {
    PictureRow row{before[i].name, {}};
    for (const AskedPlace& place : {before[i], after[i]})
      row.bars.push_back({{{place.p, false}}, fmt::format("{:.4f}", place.p)});
    picture.rows.push_back(std::move(row));
  }
  if (before.empty()) return;
  if (before.size() > most) picture.rows.push_back({"…", std::vector<PictureBar>(2)});
  double rose = 0;
  for (std::size_t i = 0; i < before.size(); ++i) rose += after[i].p > before[i].p;
  t.facts["places"] = static_cast<double>(before.size()), t.facts["places_risen"] = rose;
  t.idea = std::move(picture);
}

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
  draw_places(t);
  return t;
}

} // namespace tfx
