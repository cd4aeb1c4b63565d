#include "trace/gradients.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/number.hpp"
#include "core/progress.hpp"
#include "trace/central_difference.hpp"

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
