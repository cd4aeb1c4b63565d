#include "judge/forms.hpp"

#include "text/names.hpp"
#include "trace/checks.hpp"
#include "trace/mistake.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <set>

namespace tfx {

namespace {

bool is_softmax(const Step& step) {
  return step.operation.is(op::softmax) || step.operation.is(op::log_softmax);
}

bool takes_root(const Step& step) {
  return step.operation.is(op::sqrt) || step.operation.is(op::adam_direction) ||
         step.operation.is(op::row_std);
}

std::string index_text(const Index& index) {
  std::string text;
  for (const std::size_t i : index) text += (text.empty() ? "[" : ", ") + std::to_string(i);
  return text.empty() ? text : text + "]";
}

std::string cause_of(const Trace& right, const Step& step, const std::set<std::string>& kinds) {
  const std::set<std::string> way = way_to({step.name}, right);
  const auto any = [&](const auto& holds) {
    return std::ranges::any_of(right.steps,
                               [&](const Step& one) { return way.contains(one.name) && holds(one); });
  };
  const auto read_by_softmax = [&](const auto& holds) {
    return any([&](const Step& one) { return is_softmax(one) && holds(right[one.operation.inputs[0]]); });
  };
  constexpr double largest_power = 709.78; // e to more than this is no double
  const bool has_nan = kinds.contains("NaN");
  // Of weights that round to 0 where the scores are large: ln comes before what would overflow.
  if (!has_nan && kinds.contains("−∞") && largest_of(step.value) <= 1 &&
      std::ranges::count(step.value.data, 0.0))
    return "log";
  if (read_by_softmax([&](const Tensor& scores) { return largest_of(scores) > largest_power; }))
    return "overflow";
  if (!has_nan && kinds.contains("−∞") &&
      any([](const Step& one) { return one.operation.is(op::log_softmax); }))
    return "log";
  if (has_nan && read_by_softmax([](const Tensor& scores) { return !fully_masked_rows(scores).empty(); }))
    return "empty_row";
  if (has_nan && any(takes_root)) return "root";
  return "other";
}

} // namespace

std::optional<Observation> not_finite(const Trace& right, const Step& step, const Tensor& yours) {
  const auto own = fitted(yours, step.value.shape);
  const auto is_finite = [](double x) { return std::isfinite(x); };
  if (!own && !std::ranges::all_of(step.value.data, is_finite)) return {};
  std::set<std::string> kinds;
  std::size_t count = 0, first = 0;
  for (std::size_t i = 0; i < yours.size(); ++i) {
    const double x = yours.data[i];
    if (std::isfinite(x) || (own && !std::isfinite(step.value.data[i]))) continue;
    kinds.insert(std::isnan(x) ? "NaN" : x > 0 ? "∞" : "−∞");
    if (count++ == 0) first = i;
  }
  if (count == 0) return {};
  const std::string cell = own ? cell_name(step, index_of(step.value.shape, first))
                               : step.name + index_text(index_of(yours.shape, first));
  return Observation{"not_finite",
                     {{"count", static_cast<double>(count)},
                      {"cell", cell},
                      {"kind", join({kinds.begin(), kinds.end()})},
                      {"how", cause_of(right, step, kinds)}}};
}

namespace {

// What stands for −∞: so small that e^x is 0 beside anything.
bool hides(double x) {
  return x <= -1e4;
}

class Forms {
public:
  Forms(const Step& step, const Tensor& yours, const Tolerance& tolerance)
      : step_(step),
        lessons_(step.value),
        yours_(yours),
        tolerance_(tolerance),
        own_(fitted(yours, step.value.shape)) {}

  std::optional<Observation> found() const {
    if (lessons_.rank() == 0) return unreduced();
    if (yours_.size() == 0) return {};
    if (own_) {
      for (auto of : {&Forms::inverted, &Forms::filled})
        if (auto one = (this->*of)()) return one;
      return {};
    }
    for (auto of : {&Forms::reshaped, &Forms::reduced, &Forms::stretched, &Forms::part, &Forms::row_numbers})
      if (auto one = (this->*of)()) return one;
    return {};
  }

private:
  using Form = std::optional<Observation>;

  bool equals(const Tensor& other) const {
    const auto own = fitted(yours_, other.shape);
    return own && equal_within(*own, other, tolerance_);
  }

  static std::string text(const Shape& shape) { return to_string(shape); }

  Form reshaped() const {
    if (yours_.size() != lessons_.size() || yours_.size() < 2) return {};
    if (!equal_within(Tensor(lessons_.shape, yours_.data), lessons_, tolerance_)) return {};
    return Observation{"reshaped", {{"shape", text(lessons_.shape)}}};
  }

  Form reduced() const {
    for (std::size_t axis = 0; axis < lessons_.rank(); ++axis) {
      const std::size_t n = lessons_.shape[axis];
      if (n < 2) continue;
      Shape shape = lessons_.shape;
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
      Tensor sum(shape);
      const std::size_t inner =
          std::accumulate(lessons_.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1,
                          lessons_.shape.end(), std::size_t{1}, std::multiplies<>());
      for (std::size_t i = 0; i < lessons_.size(); ++i)
        sum.data[i / (inner * n) * inner + i % inner] += lessons_.data[i];
      const double width = static_cast<double>(axis);
      if (equals(sum)) return Observation{"reduced", {{"how", std::string("sum")}, {"axis", width}}};
      for (double& x : sum.data) x /= static_cast<double>(n);
      if (!equals(sum)) continue;
      if (step_.name == "weights" && axis + 3 == lessons_.rank()) return Observation{"heads_mean", {}};
      return Observation{"reduced", {{"how", std::string("mean")}, {"axis", width}}};
    }
    return {};
  }

  // The lesson's is one number.
  Form unreduced() const {
    if (yours_.size() < 2) return {};
    const double sum = std::accumulate(yours_.data.begin(), yours_.data.end(), 0.0);
    const double other =
        static_cast<double>(std::ranges::count_if(yours_.data, [](double x) { return x != 0; }));
    for (const auto& [how, value] : {std::pair("sum", sum),
                                     {"mean", sum / static_cast<double>(yours_.size())},
                                     {"counted", sum / std::max(1.0, other)}})
      if (equal_within(Tensor(lessons_.shape, {value}), lessons_, tolerance_))
        return Observation{"unreduced", {{"how", std::string(how)}}};
    return {};
  }

  Form stretched() const {
    if (yours_.rank() > lessons_.rank() || yours_.rank() == 0) return {};
    const std::size_t more = lessons_.rank() - yours_.rank();
    Tensor wide(lessons_.shape);
    for (std::size_t i = 0; i < wide.size(); ++i) {
      const Index at = index_of(lessons_.shape, i);
      Index own(yours_.rank());
      for (std::size_t axis = 0; axis < own.size(); ++axis) {
        if (yours_.shape[axis] != 1 && yours_.shape[axis] != lessons_.shape[axis + more]) return {};
        own[axis] = yours_.shape[axis] == 1 ? 0 : at[axis + more];
      }
      wide.data[i] = yours_.at(own);
    }
    if (auto form = Forms(step_, wide, tolerance_).inverted()) return form;
    if (!equal_within(wide, lessons_, tolerance_)) return {};
    return Observation{"stretched", {{"shape", text(yours_.shape)}}};
  }

  Form part() const {
    if (yours_.rank() != lessons_.rank() || yours_.size() >= lessons_.size() || yours_.size() < 2) return {};
    std::string part;
    for (std::size_t axis = 0; axis < yours_.rank(); ++axis) {
      if (yours_.shape[axis] > lessons_.shape[axis]) return {};
      part += (axis ? ", :" : ":") +
              (yours_.shape[axis] < lessons_.shape[axis] ? std::to_string(yours_.shape[axis]) : "");
    }
    Tensor cut(yours_.shape);
    for (std::size_t i = 0; i < cut.size(); ++i) cut.data[i] = lessons_.at(index_of(cut.shape, i));
    if (!equal_within(yours_, cut, tolerance_)) return {};
    return Observation{"part", {{"part", part}}};
  }

  Form row_numbers() const {
    if (lessons_.rank() < 2 || lessons_.shape.back() < 2) return {};
    Shape rows(lessons_.shape.begin(), lessons_.shape.end() - 1);
    Tensor numbers(rows);
    const std::size_t width = lessons_.shape.back();
    for (std::size_t r = 0; r < numbers.size(); ++r) {
      const auto row = lessons_.data.begin() + static_cast<std::ptrdiff_t>(r * width);
      numbers.data[r] =
          static_cast<double>(std::max_element(row, row + static_cast<std::ptrdiff_t>(width)) - row);
    }
    if (!equals(numbers)) return {};
    return Observation{"row_numbers", {}};
  }

  // Weights may be zeros and ones too.
  bool is_mask() const {
    return step_.name.starts_with("mask") &&
           std::ranges::all_of(lessons_.data, [](double x) { return x == 0 || x == 1; });
  }

  Form inverted() const {
    if (!is_mask()) return {};
    const Tensor& own = own_ ? *own_ : yours_;
    bool inverted = true, added = true;
    for (std::size_t i = 0; i < own.size(); ++i) {
      inverted = inverted && own.data[i] == 1 - lessons_.data[i];
      added = added && (lessons_.data[i] == 1 ? own.data[i] == 0 : hides(own.data[i]));
    }
    if (inverted) return Observation{"mask_inverted", {}};
    if (added) return Observation{"mask_added", {}};
    return {};
  }

  Form filled() const {
    Tensor infinite = *own_;
    double value = 0;
    for (std::size_t i = 0; i < infinite.size(); ++i)
      if (lessons_.data[i] == -std::numeric_limits<double>::infinity() && hides(infinite.data[i])) {
        value = infinite.data[i];
        infinite.data[i] = lessons_.data[i];
      }
    if (value == 0 || !equal_within(infinite, lessons_, tolerance_)) return {};
    return Observation{"filled", {{"value", value}}};
  }

  const Step& step_;
  const Tensor& lessons_;
  const Tensor& yours_;
  const Tolerance& tolerance_;
  std::optional<Tensor> own_;
};

} // namespace

std::optional<Observation> other_form(const Step& step, const Tensor& yours, const Tolerance& tolerance) {
  return Forms(step, yours, tolerance).found();
}

bool is_before_softmax(const Trace& right, const Step& step) {
  std::set<std::string> passed{step.name};
  for (const Step& later : right.steps) {
    const Operation& operation = later.operation;
    if (!std::ranges::any_of(operation.inputs, [&](const auto& name) { return passed.contains(name); }))
      continue;
    if (operation.is(op::softmax) || operation.is(op::log_softmax)) return true;
    if (operation.is(op::divide_by) || operation.is(op::multiply_by) || operation.is(op::mask_fill) ||
        operation.is(op::subtract))
      passed.insert(later.name);
  }
  return false;
}

std::optional<Observation> other_cells(const Trace& right, const Step& step, const Tensor& yours,
                                       const Tolerance& tolerance) {
  if (yours.rank() < 2 || yours.shape.back() < 3) return {};
  const Tensor& lessons = step.value;
  const std::size_t width = yours.shape.back(), rows = yours.shape[yours.rank() - 2];
  const std::vector<bool> differs = differing_cells(yours, lessons, tolerance);
  const auto is_zeroed = [&](const std::function<bool(std::size_t, std::size_t, double)>& kind) {
    for (std::size_t i = 0; i < yours.size(); ++i) {
      const bool meant = kind(i / width % rows, i % width, lessons.data[i]);
      if (meant ? yours.data[i] != 0 : differs[i]) return false;
    }
    return true;
  };
  using std::size_t;
  for (const auto& [where, kind] :
       std::initializer_list<std::pair<const char*, bool (*)(size_t, size_t, double)>>{
           {"above", [](size_t r, size_t c, double) { return c > r; }},
           {"below", [](size_t r, size_t c, double) { return c < r; }},
           {"diagonal", [](size_t r, size_t c, double) { return c == r; }},
           {"negative", [](size_t, size_t, double x) { return x < 0; }}})
    if (is_zeroed(kind)) return Observation{"zeroed", {{"where", std::string(where)}}};
  // A number of its own for each row, or column, from its largest cell, which has the fewest rounding errors.
  const Tolerance loose{4 * tolerance.relative, 10 * tolerance.of_largest};
  const auto by = [&](std::size_t count, const std::function<std::size_t(std::size_t)>& group) {
    std::vector<std::optional<std::size_t>> largest(count);
    for (std::size_t i = 0; i < lessons.size(); ++i) {
      auto& at = largest[group(i)];
      if (std::isfinite(lessons.data[i]) && (!at || std::abs(lessons.data[i]) > std::abs(lessons.data[*at])))
        at = i;
    }
    Tensor moved = lessons, scaled = lessons;
    for (std::size_t i = 0; i < lessons.size(); ++i) {
      const std::size_t at = largest[group(i)].value_or(i);
      moved.data[i] += yours.data[at] - lessons.data[at];
      scaled.data[i] *= yours.data[at] / lessons.data[at];
    }
    return std::pair(equal_within(yours, moved, loose), equal_within(yours, scaled, loose));
  };
  const auto [row_moved, row_scaled] = by(yours.size() / width, [&](std::size_t i) { return i / width; });
  if (row_moved)
    return is_before_softmax(right, step) ? Observation{"rows_moved", {}}
                                          : Observation{"rows_moved", {{"how", std::string("plain")}}};
  if (row_scaled) return Observation{"rows_scaled", {}};
  if (yours.size() / width < 3) return {};
  const auto [column_moved, column_scaled] = by(width, [&](std::size_t i) { return i % width; });
  if (column_moved) return Observation{"columns_moved", {}};
  if (column_scaled) return Observation{"columns_scaled", {}};
  return {};
}

std::vector<Observation> against_mask(const Trace& right, const Step& step, const Tensor& yours) {
  if (step.name != "weights" || !right.has("mask") || yours.shape != step.value.shape) return {};
  std::size_t blocked = 0, unseen = 0, first_blocked = 0, first_unseen = 0;
  for (std::size_t i = 0; i < yours.size(); ++i) {
    if (step.value.data[i] == 0 && yours.data[i] > 0 && blocked++ == 0) first_blocked = i;
    if (step.value.data[i] > 0 && yours.data[i] == 0 && unseen++ == 0) first_unseen = i;
  }
  std::vector<Observation> seen;
  const auto add = [&](const char* id, std::size_t count, std::size_t first) {
    if (count)
      seen.push_back(
          {id,
           {{"count", static_cast<double>(count)}, {"cell", cell_name(step, index_of(yours.shape, first))}}});
  };
  add("blocked_seen", blocked, first_blocked), add("open_unseen", unseen, first_unseen);
  return seen;
}

} // namespace tfx
