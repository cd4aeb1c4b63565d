#include "judge/instead.hpp"

#include "judge/diagnosis.hpp"
#include "judge/variant.hpp"

#include <algorithm>
#include <exception>
#include <functional>
#include <optional>
#include <set>
#include <utility>

namespace tfx {

namespace {

using Maker = std::function<std::optional<Alternative>(const Trace& now, const Step& step)>;

class FormulaSearch {
public:
  /// `yours` is to be `tensor`; nullptr where all that was handed in is right.
  FormulaSearch(const Trace& right, const std::string& tensor, const Tensor* yours,
                const Tolerance& tolerance, const std::vector<std::string>& right_ones)
      : right_(right), now_(right), yours_(yours), tolerance_(tolerance) {
    std::set<std::string> way{tensor};
    if (!yours) way.insert(right_ones.begin(), right_ones.end());
    for (std::size_t i = right.steps.size(); i-- > 0;) {
      const Step& step = right.steps[i];
      if (step.name == tensor) at_ = i;
      if (!way.contains(step.name)) continue;
      way.insert(step.operation.inputs.begin(), step.operation.inputs.end());
    }
    last_ = at_;
    // The way to a trained model's vectors is not the learner's.
    while (first_ < at_ && right.steps[first_].role == Role::before) ++first_;
    for (std::size_t i = first_; i < right.steps.size(); ++i) {
      if (way.contains(right.steps[i].name) && i <= at_) on_the_way_.push_back(i);
      if (std::ranges::count(right_ones, right.steps[i].name))
        right_ones_.insert(i), last_ = std::max(last_, i);
    }
  }

  std::vector<Instead> all(std::size_t most) {
    std::size_t cells = 0;
    for (std::size_t i = first_; i <= last_; ++i) cells += right_.steps[i].value.size();
    constexpr std::size_t formulas = 30, most_cells = 120'000'000; // of a step; about two seconds
    const std::size_t work = cells * on_the_way_.size() * (last_ - first_ + formulas);
    if (work > 20 * most_cells) return {};
    if (work > most_cells) { // a whole model: rows alone, and the last step itself
      at_step(at_);
      everywhere();
    } else {
      for (auto i = on_the_way_.rbegin(); i != on_the_way_.rend(); ++i) at_step(*i);
      at_several_steps();
    }
    if (found_.size() > most) found_.resize(most);
    return std::move(found_);
  }

  Fit fit_of(const Instead& formula) {
    wanted_ = &formula;
    for (const std::size_t i : on_the_way_)
      if (right_.steps[i].name == formula.steps.front()) at_step(i);
    if (formula.steps.size() > 1) at_several_steps();
    return !found_.empty() ? Fit::gives_it : is_made_ ? Fit::gives_another : Fit::unknown;
  }

private:
  void at_several_steps() {
    renamed();
    exchanged();
    numbered();
    everywhere();
  }

  void at_step(std::size_t i) {
    const Step& step = right_.steps[i];
    for (const Alternative& one : alternatives(right_, step))
      attempt([&](const Trace&, const Step& now) -> std::optional<Alternative> {
        if (now.name == step.name) return one;
        return std::nullopt;
      });
  }

  // Another tensor wherever one is read.
  void renamed() {
    for (const std::size_t a : on_the_way_)
      for (std::size_t b = first_; b < last_; ++b) {
        const std::string &from = right_.steps[a].name, &to = right_.steps[b].name;
        if (a == b || right_.steps[a].value.shape != right_.steps[b].value.shape) continue;
        attempt([&](const Trace& now, const Step& step) -> std::optional<Alternative> {
          Operation other = step.operation;
          std::ranges::replace(other.inputs, from, to);
          if (other.inputs == step.operation.inputs || !earlier(to, step.name)) return std::nullopt;
          const Arguments arguments = now.arguments(other);
          other.kind->shape(arguments);
          const std::string formula = formula_of(other, step);
          return Alternative{formula.empty() ? to : formula, compute(arguments)};
        });
      }
  }

  // Two weights in each other's place.
  void exchanged() {
    for (const std::size_t a : on_the_way_)
      for (const std::size_t b : on_the_way_) {
        const Step &first = right_.steps[a], &second = right_.steps[b];
        if (a >= b || !first.operation.is(op::given) || !second.operation.is(op::given)) continue;
        if (first.value.shape != second.value.shape) continue;
        attempt([&](const Trace&, const Step& step) -> std::optional<Alternative> {
          if (step.name == first.name) return Alternative{second.name, second.value};
          if (step.name == second.name) return Alternative{first.name, first.value};
          return std::nullopt;
        });
      }
  }

  // What belongs to one part of a block where another's should be: gain_1 and shift_1 in both norms.
  void numbered() {
    for (const auto& [from, to] : {std::pair("_2", "_1"), {"_1", "_2"}})
      attempt([&, from = std::string(from), to = std::string(to)](const Trace& now, const Step& step) {
        Operation other = step.operation;
        for (std::string& input : other.inputs) {
          if (!input.ends_with(from)) continue;
          const Step* instead = now.find(input.substr(0, input.size() - from.size()) + to);
          if (instead && instead->operation.is(op::given) && now.step_named(input).operation.is(op::given))
            input = instead->name;
        }
        std::optional<Alternative> made;
        if (other.inputs == step.operation.inputs) return made;
        const Arguments arguments = now.arguments(other);
        other.kind->shape(arguments);
        return made = Alternative{formula_of(other, step), compute(arguments)}, made;
      });
  }

  bool earlier(const std::string& a, const std::string& b) const {
    for (const Step& step : right_.steps) {
      if (step.name == b) return false;
      if (step.name == a) return true;
    }
    return false;
  }

  void everywhere() {
    for (const std::vector<WrongFormula>& rows : rows_of_several(right_))
      attempt([&](const Trace& now, const Step& step) -> std::optional<Alternative> {
        std::vector<Alternative> found;
        add_rows(rows, now, step, found);
        if (found.empty()) return std::nullopt;
        return std::move(found[0]);
      });
  }

  // Computes again from the first step that is made otherwise, and compares.
  void attempt(const Maker& make) {
    std::vector<std::pair<std::size_t, Tensor>> before;
    std::vector<std::string> made, changed;
    std::string formula;
    bool fits = false;
    try {
      fits = follow(make, before, made, changed, formula);
    } catch (const std::exception&) { // shapes that do not fit: no alternative
    }
    for (auto& [i, value] : before) now_.steps[i].value = std::move(value);
    if (!fits) return;
    const Step& first = right_.step_named(made[0]);
    const bool known = std::ranges::any_of(
        found_, [&](const Instead& one) { return one.formula == formula && one.steps == made; });
    if (!known) found_.push_back({made, formula, first.operation.is(op::given) ? first.name : first.formula});
  }

  bool follow(const Maker& make, std::vector<std::pair<std::size_t, Tensor>>& before,
              std::vector<std::string>& made, std::vector<std::string>& changed, std::string& formula) {
    for (std::size_t i = first_; i <= last_; ++i) {
      Step& step = now_.steps[i];
      const bool moved = std::ranges::any_of(step.operation.inputs, [&](const std::string& input) {
        return std::ranges::count(changed, input) > 0;
      });
      std::optional<Tensor> value;
      if (auto other = make(now_, step)) {
        if (made.empty()) formula = other->formula;
        if (made.empty() && wanted_ && (wanted_->formula != formula || wanted_->steps.front() != step.name))
          return false;
        is_made_ = true;
        made.push_back(step.name);
        value = std::move(other->value);
      } else if (moved) {
        const Arguments arguments = now_.arguments(step.operation);
        step.operation.kind->shape(arguments);
        value = compute(arguments);
      }
      if (value) {
        if (value->rank() < 2 && step.value.rank() >= 2) return false; // operations are of matrices
        if (right_ones_.contains(i) && !equal_within(*value, step.value, tolerance_)) return false;
        changed.push_back(step.name);
        before.emplace_back(i, std::exchange(step.value, std::move(*value)));
      }
      if (i == at_ && yours_) {
        const auto own = fitted(*yours_, step.value.shape);
        if (made.empty() || !own || !equal_within(*own, step.value, tolerance_)) return false;
        if (equal_within(*own, right_.steps[i].value, tolerance_)) return false;
      }
    }
    return !made.empty();
  }

  const Trace& right_;
  Trace now_;
  const Tensor* yours_;
  Tolerance tolerance_;
  std::size_t first_ = 0, at_ = 0, last_ = 0;
  std::vector<std::size_t> on_the_way_; ///< steps that the tensor is made of, and its own
  std::set<std::size_t> right_ones_;
  const Instead* wanted_ = nullptr; ///< no other is tried
  bool is_made_ = false;            ///< some formula could stand somewhere
  std::vector<Instead> found_;
};

} // namespace

std::vector<Instead> instead_of_steps(const Trace& right, const std::string& tensor, const Tensor& yours,
                                      const Tolerance& tolerance, const std::vector<std::string>& right_ones,
                                      std::size_t most) {
  return FormulaSearch(right, tensor, &yours, tolerance, right_ones).all(most);
}

Fit fit_of(const Instead& formula, const Trace& right, const std::string& tensor, const Tensor& yours,
           const Tolerance& tolerance, const std::vector<std::string>& right_ones) {
  return FormulaSearch(right, tensor, &yours, tolerance, right_ones).fit_of(formula);
}

Fit fit_of(const Instead& formula, const Trace& right, const std::vector<std::string>& right_ones,
           const Tolerance& tolerance) {
  return FormulaSearch(right, "", nullptr, tolerance, right_ones).fit_of(formula);
}

} // namespace tfx
