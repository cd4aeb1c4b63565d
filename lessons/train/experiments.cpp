#include "lessons/train/experiments.hpp"

#include "core/number.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace tfx {

namespace {

using arma::vec;
using Weights = std::map<std::string, Tensor>;

constexpr const char* names_of_optimizers[] = {"SGD", "Adam", "AdamW"};

vec cells(const Tensor& tensor) {
  return tensor.data;
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

} // namespace

std::vector<std::string> learned_tensors(const Trace& t) {
  std::vector<std::string> names;
  for (const Step& step : t.steps)
    if (step.role == Role::parameter && t.has(gradient_name(step.name))) names.push_back(step.name);
  return names;
}

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
  table.values = to_tensor(rows);
  t.experiments.push_back(std::move(table));
}

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
  t.facts["warmup"] = with_separators(static_cast<std::size_t>(warmup));
  t.facts["times"] = with_separators(static_cast<std::size_t>(std::round(rows(0, 1) / rows(0, 0))));
  t.experiments.push_back(std::move(table));
}

} // namespace tfx
