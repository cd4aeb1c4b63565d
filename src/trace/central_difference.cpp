#include "trace/central_difference.hpp"

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

double apart(double gradient, double difference) {
  if (std::isnan(gradient) && std::isnan(difference)) return 0;
  const double off = std::abs(gradient - difference) / std::max(1.0, std::abs(difference));
  return std::isnan(off) ? std::numeric_limits<double>::infinity() : off;
}

// The first step fits most runs. Where values are large it drowns in their rounding, where the function bends
// sharply it is too long: then another one is tried, which cannot bring a wrong gradient near. Nothing where
// all of them meet a corner.
std::optional<double> difference(Again& again, std::size_t cell, double x, double gradient) {
  std::optional<double> best;
  for (const double step : {1e-5, 1e-6, 1e-7, 1e-4, 1e-3}) {
    const double h = std::isfinite(x) ? step * std::max(1.0, std::abs(x)) : step;
    const double up = again.with(cell, h);
    const auto above = again.corners();
    const double down = again.with(cell, -h);
    if (!smooth(above, again.corners())) continue;
    const double slope = (up - down) / (2 * h);
    if (!best || apart(gradient, slope) < apart(gradient, *best)) best = slope;
    if (apart(gradient, *best) < 1e-8) break;
  }
  return best;
}

GradientCheck checked(const Trace& t, const std::string& name, const std::string& end,
                      const std::set<std::string>& path, std::size_t most) {
  const Tensor &X = t[name], &dX = t["d" + name];
  GradientCheck check{"d" + name, name, Tensor(X.shape, std::vector<double>(X.size(), nan)), 0, 0, {}, 0};
  check.worst = Index(X.rank(), 0);
  Again again(t, path, name, end);
  const bool flat = again.flat();
  for (const std::size_t cell : spread(X.size(), most)) {
    const auto slope = flat ? std::nullopt : difference(again, cell, X.data[cell], dX.data[cell]);
    if (!slope) {
      ++check.skipped;
      continue;
    }
    ++check.tried;
    check.differences.data[cell] = *slope;
    const double off = apart(dX.data[cell], *slope);
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
  const auto fit = static_cast<std::size_t>(
      2e8 / (2 * run * static_cast<double>(std::max<std::size_t>(tensors.size(), 1))));
  const std::size_t most = std::clamp<std::size_t>(fit, 2, max_tried);
  double largest = 0;
  for (const std::string& name : tensors) {
    t.gradients.push_back(checked(t, name, end, path, most));
    largest = std::max(largest, t.gradients.back().largest);
  }
  if (!tensors.empty()) t.check_at_most("gradients", largest, 1e-6);
}

} // namespace tfx
