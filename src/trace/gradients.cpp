#include "trace/gradients.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/number.hpp"
#include "core/progress.hpp"
#include "ops/shared.hpp"
#include "trace/cost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace tfx {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// The run once more from one tensor on, with a cell of it moved.
class Again {
public:
  Again(const Trace& trace, const std::set<std::string>& path, const std::string& from, std::string end)
      : t_(trace), from_(from), end_(std::move(end)) {
    std::set<std::string> moved{from};
    for (const Step& step : trace.steps) {
      const auto& inputs = step.operation.inputs;
      if (step.name == from || !path.count(step.name)) continue;
      if (std::any_of(inputs.begin(), inputs.end(), [&](const std::string& i) { return moved.count(i); }))
        moved.insert(step.name), after_.push_back(&step);
    }
  }

  /// L with `by` added to the cell.
  double with(std::size_t cell, double by) {
    now_.clear();
    now_[from_] = t_[from_];
    now_[from_].data[cell] += by;
    for (const Step* step : after_) now_[step->name] = again(step->operation);
    return value(end_).data[0];
  }

  /// What stands before a corner or a pole after `with`: the inputs of ReLUs, the weights of entropies.
  std::vector<std::pair<Corner, double>> corners() const {
    std::vector<std::pair<Corner, double>> all;
    for (const Step* step : after_) {
      const Corner corner = step->operation.kind->corner;
      if (corner == Corner::at_zero || corner == Corner::near_zero)
        for (const double x : value(step->operation.inputs[0]).data) all.emplace_back(corner, x);
    }
    return all;
  }

  /// Whether a row has no spread at all: its standard deviation has a corner there.
  bool flat() const {
    return std::any_of(after_.begin(), after_.end(), [&](const Step* step) {
      const auto& s = step->value.data;
      return step->operation.kind->corner == Corner::no_spread &&
             std::find(s.begin(), s.end(), 0.0) != s.end();
    });
  }

private:
  Tensor again(const Operation& operation) const {
    std::vector<const Tensor*> inputs;
    for (const std::string& name : operation.inputs) inputs.push_back(&value(name));
    const Arguments arguments(operation, std::move(inputs));
    const auto unrounded = operation.kind->unrounded;
    return unrounded ? unrounded(arguments) : compute(arguments);
  }

  const Tensor& value(const std::string& name) const {
    const auto found = now_.find(name);
    return found == now_.end() ? t_[name] : found->second;
  }

  const Trace& t_;
  std::string from_, end_;
  std::vector<const Step*> after_;
  std::map<std::string, Tensor> now_;
};

// What L is made of, but for masks and numbers of words, which a small move does not touch.
std::set<std::string> path_to(const Trace& t, const std::string& end) {
  std::set<std::string> path{end};
  for (auto step = t.steps.rbegin(); step != t.steps.rend(); ++step)
    for (std::size_t i = 0; path.count(step->name) && i < step->operation.inputs.size(); ++i)
      if (vjp(t.computed(*step), i)) path.insert(step->operation.inputs[i]);
  return path;
}

// Whether L is smooth between the two: no ReLU changes sides, and no weight w of an entropy moves by more
// than a thousandth, since its slope −ln w − 1 has a pole at 0.
bool smooth(const std::vector<std::pair<Corner, double>>& up,
            const std::vector<std::pair<Corner, double>>& down) {
  for (std::size_t i = 0; i < up.size(); ++i) {
    const double a = up[i].second, b = down[i].second;
    if (up[i].first == Corner::at_zero ? (a > 0) != (b > 0) : std::abs(a - b) > 1e-3 * std::min(a, b))
      return false;
  }
  return true;
}

std::vector<std::size_t> spread(std::size_t size, std::size_t most) {
  std::vector<std::size_t> cells;
  const std::size_t count = std::min(size, most);
  for (std::size_t i = 0; i < count; ++i)
    cells.push_back(count < size ? (2 * i + 1) * size / (2 * count) : i);
  return cells;
}

// A central difference and how far it may be off.
struct Slope {
  double value = 0, error = 0;
};

struct Quotient {
  double h = 0, slope = 0;
};

// The differences of one cell with ever smaller steps, as far as L is smooth and finite between them.
class Quotients {
public:
  Quotients(Again& again, std::size_t cell, double x, double rounding)
      : again_(again),
        cell_(cell),
        rounding_(rounding),
        scale_(std::isfinite(x) ? std::max(1.0, std::abs(x)) : 1) {}

  std::optional<Quotient> with(double step) {
    const double h = step * scale_;
    const double up = again_.with(cell_, h);
    const auto above = again_.corners();
    const double down = again_.with(cell_, -h);
    if (!smooth(above, again_.corners()) || !std::isfinite(up - down)) return {};
    return Quotient{h, (up - down) / (2 * h)};
  }

  // A long step is off by the bend of L, a short one by its rounding. The best step is one that all shorter
  // ones confirm, as far as their own rounding lets them see; the shortest is there to confirm.
  std::optional<Slope> best() {
    std::vector<Quotient> made;
    for (const double step : {5e-3, 1e-3, 2e-4, 4e-5, 8e-6, 1.6e-6, 3.2e-7, 6.4e-8, 1.28e-8})
      if (const auto one = with(step)) made.push_back(*one);
    if (made.size() < 2) return {};
    const Quotient &last = made.back(), &before = made[made.size() - 2];
    const double noise = 2 * std::max(rounding_, std::abs(last.slope - before.slope) * last.h);
    std::optional<Slope> best;
    for (std::size_t i = 0; i + 1 < made.size(); ++i) {
      double bent = 0;
      for (std::size_t j = i + 1; j < made.size(); ++j)
        bent = std::max(bent, std::abs(made[i].slope - made[j].slope) - noise / made[j].h);
      const double error = 2 * (bent + noise / made[i + 1].h); // more bend than this the next one would see
      if (!best || error < best->error) best = Slope{made[i].slope, error};
    }
    return best;
  }

private:
  Again& again_;
  std::size_t cell_;
  double rounding_, scale_;
};

double largest_finite(const Tensor& tensor) {
  double largest = 0;
  for (const double x : tensor.data)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  return largest;
}

// How far the two lie apart, measured by the gradient's largest cell, or by what the difference itself may be
// off where that is more: within max_apart of it they are equal.
double apart(double gradient, const Slope& slope, double largest) {
  const double off = std::abs(gradient - slope.value);
  if (off == 0) return 0;
  const double relative = off / std::max(largest, slope.error / max_apart);
  return std::isnan(relative) ? std::numeric_limits<double>::infinity() : relative;
}

// One step is enough where its difference is the gradient: no wrong gradient would be met by accident. Else
// the best one of many; nothing where all of them meet a corner.
std::optional<Slope> slope_beside(double gradient, double largest, Quotients quotients) {
  constexpr double usual_step = 1e-5, close = max_apart / 10;
  const auto usual = quotients.with(usual_step);
  if (usual && std::abs(gradient - usual->slope) <= close * largest) return Slope{usual->slope, 0};
  return quotients.best();
}

// How much of L is rounding: each cell on the way to it is off by about epsilon, of itself or of what it was
// computed from, and L moves with it as its gradient says.
double rounding_on(const std::set<std::string>& path, const Trace& t) {
  double squares = 0;
  for (const std::string& name : path) {
    const Step *step = t.find(name), *gradient = t.find(gradient_name(name));
    if (!gradient) continue;
    double read = 0;
    for (const std::string& input : step->operation.inputs) read = std::max(read, largest_finite(t[input]));
    for (std::size_t i = 0; i < step->value.size(); ++i) {
      const double moved = gradient->value.data[i] * std::max(read, std::abs(step->value.data[i]));
      if (std::isfinite(moved)) squares += moved * moved;
    }
  }
  return std::sqrt(squares) * std::numeric_limits<double>::epsilon();
}

GradientCheck checked(const Trace& t, const std::string& name, const std::string& end,
                      const std::set<std::string>& path, double rounding, std::size_t most) {
  const Tensor &X = t[name], &dX = t[gradient_name(name)];
  GradientCheck check{
      gradient_name(name), name, Tensor(X.shape, std::vector<double>(X.size(), nan)), 0, 0, {}, 0};
  check.worst = Index(X.rank(), 0);
  Again again(t, path, name, end);
  const bool flat = again.flat();
  const double largest = largest_finite(dX);
  for (const std::size_t cell : spread(X.size(), most)) {
    const auto slope =
        flat ? std::nullopt
             : slope_beside(dX.data[cell], largest, Quotients(again, cell, X.data[cell], rounding));
    if (!slope) {
      ++check.skipped;
      continue;
    }
    ++check.tried;
    check.differences.data[cell] = slope->value;
    const double off = apart(dX.data[cell], *slope, largest);
    if (off > check.largest || check.tried == 1) check.largest = off, check.worst = index_of(X.shape, cell);
  }
  return check;
}

} // namespace

void add_central_differences(Trace& t, const std::string& end, const std::vector<std::string>& tensors) {
  const std::set<std::string> path = path_to(t, end);
  // Two runs a cell, each of all the steps: as many as fit into some hundred million cells.
  double run = 0;
  for (const Step& step : t.steps) {
    if (!path.count(step.name) || step.operation.is(op::given)) continue;
    run +=
        500 + static_cast<double>(step.value.size() + cost_of(t, step).macs / 8); // 500: a step of any size
    for (const std::string& input : step.operation.inputs) run += static_cast<double>(t[input].size());
  }
  const double pairs = 2e8 / (2 * run);
  const std::size_t count = tensors.size(), all = std::max<std::size_t>(count, 1);
  const auto most = static_cast<std::size_t>(std::min<double>(max_tried, pairs / static_cast<double>(all)));
  // Where not even a cell of each fits, a cell of the last ones: their differences go through the whole run.
  const auto passed_over =
      most > 0
          ? 0
          : count - std::min(count, std::max<std::size_t>(least_tensors, static_cast<std::size_t>(pairs)));
  const double rounding = rounding_on(path, t);
  double largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    tell_progress("Δ" + tensors[i]);
    t.gradients.push_back(
        checked(t, tensors[i], end, path, rounding, i < passed_over ? 0 : std::max<std::size_t>(most, 1)));
    largest = std::max(largest, t.gradients.back().largest);
  }
  if (!tensors.empty()) t.check_at_most("gradients", largest, max_apart);
}

namespace {

// Given, but chosen and not learned.
bool is_choice(const std::string& name) {
  return name.starts_with("keep") || name == "target";
}

class BackwardPass {
public:
  explicit BackwardPass(Trace& trace) : t_(trace) {}

  void run() {
    const std::string end = end_ = add_objective();
    if (!std::isfinite(t_[end].data[0]))
      throw Error(ErrorKind::bad_data,
                  said("{end} is {value}: it has no gradient",
                       {{"end", end}, {"value", format_number(t_[end].data[0], 4)}}),
                  said("look for NaN and inf in the input; "
                       "--on-masked-row zero gives blocked rows weights 0"));
    mark(end);
    for (std::size_t i = t_.steps.size(); i-- > 0;) {
      const Step step = t_.steps[i];
      if (!active_.count(step.name)) continue;
      if (step.name != end) finish(step.name);
      for (std::size_t input = 0; input < step.operation.inputs.size(); ++input) go_back(step, input);
    }
  }

  void compare() { add_central_differences(t_, end_, order_); }

private:
  std::string add_objective() {
    if (t_.has("loss")) return "loss";
    const std::vector<std::string> of =
        t_.objective.empty() ? std::vector<std::string>{t_.main} : t_.objective;
    const Operation mean_of = op::mean(of);
    Step mean = gradient("mean", op::mean.formula(mean_of), mean_of, Step{});
    mean.labels.clear();
    t_.steps.push_back(std::move(mean));
    return "mean";
  }

  // What L moves with: a step between a number that can be changed and L.
  void mark(const std::string& end) {
    std::set<std::string> moves;
    for (const Step& step : t_.steps) {
      bool any = step.operation.is(op::given) && !is_choice(step.name);
      for (std::size_t i = 0; i < step.operation.inputs.size(); ++i)
        any = any || (moves.count(step.operation.inputs[i]) && vjp(t_.computed(step), i));
      if (any) moves.insert(step.name);
    }
    if (!moves.count(end)) return;
    active_.insert(end);
    for (auto step = t_.steps.rbegin(); step != t_.steps.rend(); ++step) {
      if (!active_.count(step->name)) continue;
      for (std::size_t i = 0; i < step->operation.inputs.size(); ++i) {
        if (!moves.count(step->operation.inputs[i]) || !vjp(t_.computed(*step), i)) continue;
        active_.insert(step->operation.inputs[i]);
        ++uses_[step->operation.inputs[i]];
      }
    }
    require_room();
  }

  void require_room() const {
    constexpr double each = 3;   // gradient, difference, run again
    constexpr double of_one = 4; // the largest, while it is computed
    double cells = 0, largest = 0;
    for (const auto& name : active_) {
      const auto size = static_cast<double>(t_[name].size());
      const auto used = uses_.find(name);
      const std::size_t parts = used != uses_.end() && used->second > 1 ? used->second : 0;
      cells += (each + static_cast<double>(parts)) * size, largest = std::max(largest, size);
    }
    require_memory(sizeof(double) * (cells + of_one * largest), said("backpropagation through this run"));
  }

  // One use of an input: its whole gradient, or a part.
  void go_back(const Step& step, std::size_t i) {
    const std::string input = step.operation.inputs[i];
    if (!active_.count(input)) return;
    const auto back = vjp(t_.computed(step), i);
    if (!back) return;
    std::string name = gradient_name(input);
    if (uses_[input] > 1) {
      name += "_from_" + step.name;
      if (const auto twice = std::count(step.operation.inputs.begin(), step.operation.inputs.end(), input);
          twice > 1)
        name += "_" + std::to_string(i + 1);
      parts_[input].push_back(name);
    } else {
      order_.push_back(input);
    }
    const Step& like = *t_.find(input);
    Step whole = gradient(name, back->formula, back->operation, like);
    if (whole.value.shape != like.value.shape) { // repeated over a batch: so much for each, and their sum
      whole.name += "_each";
      whole.labels.assign(whole.value.rank(), {});
      const Vjp sum = summed(whole.name, {}, like.value.shape);
      t_.steps.push_back(std::move(whole));
      whole = gradient(name, sum.formula, sum.operation, like);
    }
    t_.steps.push_back(std::move(whole));
  }

  // The sum of the parts, once all of them are there.
  void finish(const std::string& input) {
    const auto found = parts_.find(input);
    if (found == parts_.end()) return;
    const Operation sum = op::total(found->second);
    t_.steps.push_back(gradient(gradient_name(input), op::total.formula(sum), sum, *t_.find(input)));
    order_.push_back(input);
  }

  // A gradient of the shape and with the labels of its tensor; behind a lesson's X it is the model's affair.
  Step gradient(const std::string& name, const std::string& formula, const Operation& operation,
                const Step& like) {
    tell_progress(name);
    auto [value, first_seconds] = t_.first_run(operation);
    const Role role = like.role == Role::before ? Role::before : Role::gradient;
    return {{name, std::move(value), like.labels}, formula, operation, role, first_seconds};
  }

  Trace& t_;
  std::string end_; ///< L
  std::set<std::string> active_;
  std::map<std::string, std::size_t> uses_;
  std::map<std::string, std::vector<std::string>> parts_;
  std::vector<std::string> order_; ///< whose gradients are there
};

} // namespace

void add_gradients(Trace& trace) {
  BackwardPass pass(trace);
  pass.run();
  if (trace.purpose != RunFor::values) pass.compare();
}

} // namespace tfx
