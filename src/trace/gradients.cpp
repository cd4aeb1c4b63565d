#include "trace/gradients.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/number.hpp"
#include "core/stopwatch.hpp"
#include "trace/central_difference.hpp"
#include "trace/chain_rule.hpp"
#include "trace/compute.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace tfx {

namespace {

// Given, but chosen and not learned.
bool is_choice(const std::string& name) {
  return name == "keep" || name == "target";
}

class WayBack {
public:
  explicit WayBack(Trace& trace) : t_(trace) {}

  void walk() {
    const std::string end = add_objective();
    if (!std::isfinite(t_[end].data[0]))
      throw Error(ErrorKind::bad_data,
                  end + " is " + format_number(t_[end].data[0], 4) + ": it has no gradient",
                  "look for NaN and inf in the input; --on-masked-row zero gives blocked rows weights 0");
    mark(end);
    for (std::size_t i = t_.steps.size(); i-- > 0;) {
      const Step step = t_.steps[i];
      if (!active_.count(step.name)) continue;
      if (step.name != end) finish(step.name);
      for (std::size_t input = 0; input < step.how.inputs.size(); ++input) go_back(step, input);
    }
    add_central_differences(t_, end, order_);
  }

private:
  std::string add_objective() {
    if (t_.has("loss")) return "loss";
    const std::vector<std::string> of =
        t_.objective.empty() ? std::vector<std::string>{t_.main} : t_.objective;
    std::string formula;
    for (const std::string& name : of) formula += (formula.empty() ? "mean(" : " + mean(") + name + ")";
    Step mean = computed("mean", formula, how::of(Op::mean, of), Step{});
    mean.labels.clear();
    t_.steps.push_back(std::move(mean));
    return "mean";
  }

  // What L moves with: a step between a number that can be changed and L.
  void mark(const std::string& end) {
    std::set<std::string> moves;
    double numbers = 0;
    for (const Step& step : t_.steps) {
      bool any = step.how.op == Op::given && !is_choice(step.name);
      for (std::size_t i = 0; i < step.how.inputs.size(); ++i)
        any = any || (moves.count(step.how.inputs[i]) && step_back(t_, step, i));
      if (any) moves.insert(step.name), numbers += static_cast<double>(step.value.size());
    }
    // A gradient for each, its parts, and a copy while the differences are taken.
    require_memory(4 * sizeof(double) * numbers, "the gradients of this run");
    if (!moves.count(end)) return;
    active_.insert(end);
    for (auto step = t_.steps.rbegin(); step != t_.steps.rend(); ++step) {
      if (!active_.count(step->name)) continue;
      for (std::size_t i = 0; i < step->how.inputs.size(); ++i) {
        if (!moves.count(step->how.inputs[i]) || !step_back(t_, *step, i)) continue;
        active_.insert(step->how.inputs[i]);
        ++uses_[step->how.inputs[i]];
      }
    }
  }

  // One use of an input: its whole gradient, or a part.
  void go_back(const Step& step, std::size_t i) {
    const std::string input = step.how.inputs[i];
    if (!active_.count(input)) return;
    const auto back = step_back(t_, step, i);
    if (!back) return;
    std::string name = gradient_name(input);
    if (uses_[input] > 1) {
      name += "_from_" + step.name;
      if (const auto twice = std::count(step.how.inputs.begin(), step.how.inputs.end(), input); twice > 1)
        name += "_" + std::to_string(i + 1);
      parts_[input].push_back(name);
    } else {
      order_.push_back(input);
    }
    const Step& like = *t_.find(input);
    Step gradient = computed(name, back->formula, back->how, like);
    if (gradient.value.shape != like.value.shape) { // repeated over a batch: so much for each, and their sum
      gradient.name += "_each";
      gradient.labels.assign(gradient.value.rank(), {});
      const How sum = how::of(Op::sum_over, {gradient.name}, 1, "1");
      t_.steps.push_back(std::move(gradient));
      gradient = computed(name, "sum(" + name + "_each)", sum, like);
    }
    t_.steps.push_back(std::move(gradient));
  }

  // The sum of the parts, once all of them are there.
  void finish(const std::string& input) {
    const auto found = parts_.find(input);
    if (found == parts_.end()) return;
    std::string formula;
    for (const std::string& part : found->second) formula += (formula.empty() ? "" : " + ") + part;
    t_.steps.push_back(
        computed(gradient_name(input), formula, how::of(Op::total, found->second), *t_.find(input)));
    order_.push_back(input);
  }

  // A gradient of the shape and with the labels of its tensor.
  Step computed(const std::string& name, const std::string& formula, const How& how, const Step& like) const {
    const Stopwatch watch;
    Tensor value = compute(how, like.value.shape,
                           [&](const std::string& tensor) -> const Tensor& { return t_[tensor]; });
    return {name, formula, std::move(value), like.labels, how, Role::gradient, watch.seconds()};
  }

  Trace& t_;
  std::set<std::string> active_;
  std::map<std::string, std::size_t> uses_;
  std::map<std::string, std::vector<std::string>> parts_;
  std::vector<std::string> order_; ///< whose gradients are there
};

} // namespace

void add_gradients(Trace& trace) {
  WayBack(trace).walk();
}

} // namespace tfx
