#include "judge/observations.hpp"

#include "core/error.hpp"
#include "core/tensor.hpp"
#include "judge/diagnosis.hpp"
#include "judge/forms.hpp"
#include "judge/solved.hpp"
#include "judge/variant.hpp"
#include "text/names.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <set>

namespace tfx {

std::span<const ObservationKind> observation_kinds() {
  static constexpr ObservationKind kinds[] = {
      // NaN in the rows that may see nothing, and else equal
      {.id = "blocked_rows", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      // NaN or an infinity where the lesson has a number, and no more: count, cell, kind, how
      {.id = "not_finite", .says_what_was_done = true},
      // another tensor of the run: name
      {.id = "is_tensor", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      // the lesson's tensor transposed, or with its axes in another order
      {.id = "transposed", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      {.id = "axes", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      // another tensor of the run transposed: name
      {.id = "transposed_tensor", .says_what_was_done = true, .says_all = true, .is_another_array = true},
      // another shape: yours, lessons; the one of other tensors of the run: names
      {.id = "shape"},
      {.id = "shape_of"},
      // a tensor that the lesson does not compute is of another input: name
      {.id = "input", .says_what_was_done = true, .says_all = true},
      // equal within 1e-5, as in float32: largest; nearly equal
      {.id = "single", .says_what_was_done = true, .says_all = true},
      {.id = "close", .says_what_was_done = true},
      // equal after rounding: decimals
      {.id = "rounded", .says_what_was_done = true, .says_all = true},
      // the lesson's times, or plus, one number: value, meaning
      {.id = "factor", .says_all = true},
      {.id = "offset"},
      // the lesson's rows in another order: order
      {.id = "rows_reordered", .says_all = true},
      // the columns sum to 1, the rows do not; rows that should sum to 1 do not: row, sum
      {.id = "columns_sum"},
      {.id = "rows_sum"},
      // nothing else differs: places
      {.id = "only_rows"},
      {.id = "only_columns"},
      {.id = "only_slices"},
      // another formula gives it: steps, formula, lessons
      {.id = "instead", .says_what_was_done = true, .says_all = true},
      // another run gives it: PyTorch's smoothing, the words' vectors as version 0.1 drew them, an option
      {.id = "torch_smoothing", .says_what_was_done = true, .says_all = true},
      {.id = "old_draw", .says_what_was_done = true, .says_all = true},
      {.id = "option", .says_what_was_done = true, .says_all = true},
      // of a count, in all cases alike: what is not counted, or twice: parts, how
      {.id = "counted", .says_what_was_done = true, .says_all = true},
      // another form of the lesson's numbers
      {.id = "heads_mean", .says_what_was_done = true, .says_all = true},
      {.id = "reduced", .says_what_was_done = true, .says_all = true},
      {.id = "unreduced", .says_what_was_done = true, .says_all = true},
      {.id = "reshaped", .says_what_was_done = true, .says_all = true},
      {.id = "stretched", .says_what_was_done = true, .says_all = true},
      {.id = "part", .says_what_was_done = true, .says_all = true},
      {.id = "row_numbers", .says_what_was_done = true, .says_all = true},
      {.id = "mask_inverted", .says_what_was_done = true, .says_all = true},
      {.id = "mask_added", .says_what_was_done = true, .says_all = true},
      {.id = "filled", .says_what_was_done = true, .says_all = true},
      // each row, or column, moved by a number of its own, or multiplied; cells that are 0 where the lesson's
      // are not
      {.id = "rows_moved"},
      {.id = "rows_scaled"},
      {.id = "columns_moved"},
      {.id = "columns_scaled"},
      {.id = "zeroed", .says_what_was_done = true, .says_all = true},
      // rows, or all of it, that share out 1 otherwise; what a mask hides or shows
      {.id = "shares"},
      {.id = "blocked_seen"},
      {.id = "open_unseen"},
      // a number that was solved for
      {.id = "divisor", .says_what_was_done = true, .is_solved = true},
      {.id = "added_number", .says_what_was_done = true, .is_solved = true},
      {.id = "filled_number", .says_what_was_done = true, .is_solved = true},
      {.id = "combination", .says_what_was_done = true, .is_solved = true},
      {.id = "near", .is_solved = true},
      // nothing but 0
      {.id = "zeros"}};
  return kinds;
}

const ObservationKind& kind_of(const Observation& one) {
  const auto found = std::ranges::find(observation_kinds(), one.id, &ObservationKind::id);
  if (found == observation_kinds().end()) throw defect("there is no kind of observation " + one.id);
  return *found;
}

bool says_all(const Observation& one) {
  if (one.id == "factor") return !std::get<std::string>(one.facts.at("meaning")).empty();
  return kind_of(one).says_all;
}

namespace {

// Axis i of the result is axis order[i] of the tensor, as in np.transpose.
Tensor with_axes(const Tensor& tensor, const std::vector<std::size_t>& order) {
  Shape shape;
  for (const std::size_t axis : order) shape.push_back(tensor.shape[axis]);
  Tensor result(shape);
  Index to(order.size()), from(order.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    std::size_t rest = i;
    for (std::size_t axis = order.size(); axis-- > 0; rest /= shape[axis]) to[axis] = rest % shape[axis];
    for (std::size_t axis = 0; axis < order.size(); ++axis) from[order[axis]] = to[axis];
    result.data[i] = tensor.at(from);
  }
  return result;
}

// "row q2", "2": how a learner finds a place on an axis.
std::string place_on(const Step& step, std::size_t axis, std::size_t i) {
  return axis < step.labels.size() && !step.labels[axis].empty() ? step.labels[axis][i] : std::to_string(i);
}

class StepObserver {
public:
  StepObserver(const Trace& right, const Step& step, const Tensor& yours, const Tolerance& tolerance)
      : right_(right),
        step_(step),
        lessons_(step.value),
        yours_(yours),
        tolerance_(tolerance),
        own_(fitted(yours, step.value.shape)) {}

  std::vector<Observation> all() {
    if (own_ && equal_within(with_blocked_rows_of(lessons_, *own_), lessons_, tolerance_)) {
      add("blocked_rows", {});
      return std::move(found_);
    }
    other_tensors();
    if (found_.empty() && step_.operation.is(op::given)) { // no step: there is nothing before it to look at
      if (!own_) shapes();
      add("input", {{"name", step_.name}});
      return std::move(found_);
    }
    if (auto none = found_.empty() ? not_finite(right_, step_, yours_) : std::nullopt) {
      found_.push_back(std::move(*none));
      return std::move(found_);
    }
    const std::size_t before = found_.size();
    if (auto form = other_form(step_, yours_, tolerance_)) found_.push_back(std::move(*form));
    if (!own_) shapes();
    if (own_ && found_.size() == before) numbers();
    return std::move(found_);
  }

private:
  void add(std::string id, std::map<std::string, Fact> facts = {}) {
    found_.push_back({std::move(id), std::move(facts)});
  }

  bool equals(const Tensor& yours, const Tensor& other) const {
    const auto own = fitted(yours, other.shape);
    return own && equal_within(*own, other, tolerance_);
  }

  // A few zeros are equal to much.
  bool says_enough() const {
    return evidence(yours_, Tensor(), tolerance_) >= enough_evidence && yours_.size() > 1;
  }

  void other_tensors() {
    if (!says_enough()) return;
    const bool matrix = yours_.rank() >= 2;
    const Tensor turned = matrix ? transposed(yours_) : Tensor();
    for (const Step& other : right_.steps)
      if (other.name != step_.name && equals(yours_, other.value))
        return add("is_tensor", {{"name", other.name}});
    if (!matrix) return;
    if (equals(turned, lessons_)) return add("transposed");
    if (axes_moved()) return;
    for (const Step& other : right_.steps)
      if (equals(turned, other.value)) return add("transposed_tensor", {{"name", other.name}});
  }

  // The heads of a stack where another axis should be.
  bool axes_moved() {
    constexpr std::size_t max_axes = 4;
    std::vector<std::size_t> order(yours_.rank());
    std::iota(order.begin(), order.end(), 0);
    if (yours_.rank() < 3 || yours_.rank() > max_axes || yours_.size() != lessons_.size()) return false;
    while (std::ranges::next_permutation(order).found)
      if (equals(with_axes(yours_, order), lessons_)) {
        add("axes", {{"order", to_string(Shape(order))}});
        return true;
      }
    return false;
  }

  void shapes() {
    add("shape", {{"yours", to_string(yours_.shape)}, {"lessons", to_string(lessons_.shape)}});
    std::vector<std::string> names;
    for (const Step& other : right_.steps)
      if (other.role != Role::gradient && fitted(yours_, other.value.shape)) names.push_back(other.name);
    if (!names.empty() && names.size() <= 6) add("shape_of", {{"names", join(names)}});
  }

  void numbers() {
    const Tensor& own = *own_;
    if (std::ranges::all_of(own.data, [](double x) { return x == 0; })) return add("zeros");
    const bool close = single() || rounded() || factor() || offset() || reordered();
    if (!close)
      if (auto rows = other_cells(right_, step_, own, tolerance_)) found_.push_back(std::move(*rows));
    if (!close)
      if (auto one = solved(right_, step_, own, tolerance_)) found_.push_back(std::move(*one));
    for (Observation& one : against_mask(right_, step_, own)) found_.push_back(std::move(one));
    if (!close) sums();
    constexpr std::size_t enough_cells = 4; // one number may be near by accident
    if (!close && own.size() >= enough_cells && !is_whole(lessons_) &&
        equal_within(own, lessons_, {2e-3, 1e-3}))
      add("near");
    if (!close) places();
  }

  bool single() {
    if (!equal_within(*own_, lessons_, tolerance_of(DType::f32))) return false;
    const bool as_float = std::ranges::all_of(own_->data, [](double x) {
      return std::isnan(x) || x == static_cast<double>(static_cast<float>(x));
    });
    add(as_float ? "single" : "close", {{"largest", difference(*own_, lessons_, tolerance_).largest}});
    return true;
  }

  bool rounded() {
    for (int decimals = 6; decimals >= 0; --decimals) {
      const double half = 0.5 * std::pow(10.0, -decimals);
      bool fits = true;
      for (std::size_t i = 0; i < own_->size() && fits; ++i) {
        const double a = own_->data[i], b = lessons_.data[i], unit = std::pow(10.0, decimals);
        fits = a == b || (std::isnan(a) && std::isnan(b)) ||
               (std::isfinite(a) && std::abs(std::round(a * unit) / unit - a) <= 1e-9 * std::abs(a) &&
                std::abs(a - b) <= half * (1 + 1e-6));
      }
      // To whole numbers zero after zero would do: what is left must be more than nothing.
      if (fits && (decimals > 0 || largest_of(*own_) >= 2)) {
        add("rounded", {{"decimals", static_cast<double>(decimals)}});
        return true;
      }
    }
    return false;
  }

  // Two cells at least: of one cell every number is a multiple.
  bool factor() {
    const std::size_t at = largest_cell();
    if (lessons_.data[at] == 0 || !std::isfinite(own_->data[at])) return false;
    const double value = own_->data[at] / lessons_.data[at];
    if (value == 0 || finite_and_not_zero() < 3) return false;
    Tensor scaled = lessons_;
    for (double& x : scaled.data) x *= value;
    if (!equal_within(*own_, scaled, loosened())) return false;
    add("factor", {{"value", value}, {"meaning", meaning_of(value)}});
    return true;
  }

  bool offset() {
    const std::size_t at = largest_cell();
    const double value = own_->data[at] - lessons_.data[at];
    if (!std::isfinite(value) || finite_and_not_zero() < 3) return false;
    Tensor moved = lessons_;
    for (double& x : moved.data) x += value;
    if (!equal_within(*own_, moved, loosened())) return false;
    add("offset", {{"value", value}});
    return true;
  }

  // The number itself comes from one cell and has that cell's rounding.
  Tolerance loosened() const { return {2 * tolerance_.relative, 4 * tolerance_.of_largest}; }

  std::size_t largest_cell() const {
    std::size_t at = 0;
    double largest = -1;
    for (std::size_t i = 0; i < lessons_.size(); ++i)
      if (const double x = std::abs(lessons_.data[i]); std::isfinite(x) && x > largest) largest = x, at = i;
    return at;
  }
  std::size_t finite_and_not_zero() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(lessons_.data, [](double x) { return std::isfinite(x) && x != 0; }));
  }

  // "√d_k = √3": numbers of the run that a factor may be; empty where it is none of them. Where sizes are
  // equal, "√d_k = √n_k = √4".
  std::string meaning_of(double factor) const {
    std::vector<std::pair<double, std::string>> known = {{-1, "−1"}};
    const std::vector<Size> sizes = sizes_of(right_);
    for (const Size& size : sizes)
      for (const auto& [before, value] : {std::pair<std::string, double>("√", std::sqrt(size.value)),
                                          {"1/√", 1 / std::sqrt(size.value)},
                                          {"", size.value},
                                          {"1/", 1 / size.value}}) {
        std::string names;
        for (const Size& other : sizes)
          if (other.value == size.value) names += before + other.name + " = ";
        known.emplace_back(value, names + before + std::to_string(static_cast<long>(size.value)));
      }
    // Of a loss: the mean over one thing for the mean over another.
    const auto counted = [](const Size& size) {
      return size.name == "tokens" || size.name == "vocabulary" || size.name == "n_k";
    };
    for (const Size& a : sizes)
      for (const Size& b : sizes)
        if (right_.has("labels") && counted(a) && counted(b) && a.value != b.value)
          known.emplace_back(a.value / b.value, a.name + "/" + b.name);
    known.insert(known.end(), {{1 / std::numbers::ln2, "1/ln 2: log₂"},
                               {1 / std::numbers::ln10, "1/ln 10: log₁₀"},
                               {100, "100 %"},
                               {1000, "1000 ‰"}});
    for (const auto& [value, text] : known)
      if (std::abs(factor - value) <= 10 * tolerance_.relative * std::abs(value)) return text;
    return "";
  }

  bool reordered() {
    if (own_->rank() != 2 || own_->shape[0] < 2) return false;
    const std::size_t rows = own_->shape[0], width = own_->shape[1];
    const auto row = [&](const Tensor& tensor, std::size_t i) {
      return Tensor({width}, {tensor.data.begin() + static_cast<std::ptrdiff_t>(i * width),
                              tensor.data.begin() + static_cast<std::ptrdiff_t>((i + 1) * width)});
    };
    std::vector<bool> used(rows, false);
    std::vector<std::string> order;
    for (std::size_t i = 0; i < rows; ++i) {
      std::size_t j = 0;
      while (j < rows && (used[j] || !equal_within(row(*own_, i), row(lessons_, j), tolerance_))) ++j;
      if (j == rows) return false;
      used[j] = true;
      order.push_back(place_on(step_, 0, j));
    }
    add("rows_reordered", {{"order", join(order)}});
    return true;
  }

  // Counts and ids are no measurements: nothing is a little off.
  static bool is_whole(const Tensor& tensor) {
    return std::ranges::all_of(tensor.data, [](double x) { return x == std::round(x); });
  }

  // Only of tensors whose rows do sum to 1 in the lesson.
  void sums() {
    if (own_->rank() < 2) return;
    const double bound = 10 * std::max(tolerance_.relative, 1e-9);
    const auto worst_row = [&](const Tensor& tensor) {
      std::pair<std::size_t, double> worst{0, 1};
      const std::size_t width = tensor.shape.back();
      for (std::size_t r = 0; r < tensor.size() / width; ++r) {
        double sum = 0;
        for (std::size_t j = 0; j < width; ++j) sum += tensor.data[r * width + j];
        if (std::isnan(worst.second)) break; // the first of them
        if (!(std::abs(sum - 1) <= std::abs(worst.second - 1))) worst = {r, sum};
      }
      return worst;
    };
    const auto sums_to_one = [&](const Tensor& tensor) {
      return std::abs(worst_row(tensor).second - 1) <= bound;
    };
    if (own_->shape.back() < 2) return;
    if (sums_to_one(*own_) && !sums_to_one(lessons_))
      return add("shares", {{"of", std::string(is_before_softmax(right_, step_) ? "rows" : "other_rows")}});
    if (!sums_to_one(lessons_) || sums_to_one(*own_)) return;
    const double sum_of_all = std::accumulate(own_->data.begin(), own_->data.end(), 0.0);
    if (std::abs(sum_of_all - static_cast<double>(matrix_count(*own_))) <= bound && matrix_count(*own_) == 1)
      add("shares", {{"of", std::string("all")}});
    const auto [row, sum] = worst_row(*own_);
    const std::string name = place_on(step_, own_->rank() - 2, row % own_->shape[own_->rank() - 2]);
    const bool columns = sums_to_one(transposed(*own_)) && !sums_to_one(transposed(lessons_));
    add(columns ? "columns_sum" : "rows_sum", {{"row", name}, {"sum", sum}});
  }

  // Where all that differs stands on few places of an axis, that axis is named.
  void places() {
    const std::vector<bool> differs = differing_cells(*own_, lessons_, tolerance_);
    for (std::size_t axis = 0; axis < own_->rank(); ++axis) {
      std::set<std::size_t> differing;
      for (std::size_t i = 0; i < own_->size(); ++i)
        if (differs[i]) differing.insert(index_of(own_->shape, i)[axis]);
      if (differing.empty() || differing.size() > 3 || 2 * differing.size() > own_->shape[axis]) continue;
      std::vector<std::string> names;
      for (const std::size_t i : differing) names.push_back(place_on(step_, axis, i));
      const bool last = axis + 1 == own_->rank(), row = axis + 2 == own_->rank();
      return add(last && own_->rank() > 1 ? "only_columns"
                 : row || last            ? "only_rows"
                                          : "only_slices",
                 {{"places", join(names)}});
    }
  }

  const Trace& right_;
  const Step& step_;
  const Tensor& lessons_;
  const Tensor& yours_;
  const Tolerance& tolerance_;
  std::optional<Tensor> own_;
  std::vector<Observation> found_;
};

} // namespace

std::vector<Observation> observations(const Trace& right, const std::string& tensor, const Tensor& yours,
                                      const Tolerance& tolerance) {
  return StepObserver(right, *right.find(tensor), yours, tolerance).all();
}

} // namespace tfx
