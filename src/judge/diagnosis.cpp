#include "judge/diagnosis.hpp"

#include "core/number.hpp"
#include "core/progress.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>

namespace tfx {

namespace {

// The run up to the tensor, and whatever is given: what is computed later cannot have changed it.
Trace up_to(const Trace& right, const std::string& tensor) {
  Trace cut;
  cut.lesson = right.lesson, cut.tutorial = right.tutorial, cut.main = right.main;
  cut.objective = right.objective, cut.dtype = right.dtype;
  bool before = true;
  for (const Step& step : right.steps) {
    if (before || step.operation.is(op::given)) cut.steps.push_back(step);
    before = before && step.name != tensor;
  }
  return cut;
}

std::size_t cells_of(const Trace& trace) {
  std::size_t cells = 0;
  for (const Step& step : trace.steps) cells += step.value.size();
  return cells;
}

// What a mistake makes of the tensor.
struct Attempt {
  Suspect suspect;
  Tensor value;
};

// Where a row may see nothing, NumPy and PyTorch give NaN, the lesson zeros.
Tensor with_blocked_rows_of(const Tensor& value, Tensor own) {
  if (own.rank() == 0 || own.shape != value.shape) return own;
  const std::size_t width = own.shape.back();
  for (std::size_t row = 0; width > 0 && row < own.size(); row += width) {
    const auto all = [&](const Tensor& tensor, auto holds) {
      const auto first = tensor.data.begin() + static_cast<std::ptrdiff_t>(row);
      return std::all_of(first, first + static_cast<std::ptrdiff_t>(width), holds);
    };
    if (all(own, [](double x) { return std::isnan(x); }) && all(value, [](double x) { return x == 0; }))
      std::fill_n(own.data.begin() + static_cast<std::ptrdiff_t>(row), width, 0.0);
  }
  return own;
}

// How many digits after the point all numbers have at most; none where one has more than six.
std::optional<int> decimals_of(const Tensor& tensor) {
  for (int decimals = 0; decimals <= 6; ++decimals) {
    const double unit = std::pow(10.0, decimals);
    const auto is_round = [&](double x) {
      return !std::isfinite(x) ||
             std::abs(std::round(x * unit) / unit - x) <= 1e-12 * std::max(1.0, std::abs(x));
    };
    if (std::ranges::all_of(tensor.data, is_round)) return decimals;
  }
  return std::nullopt;
}

class Search {
public:
  Search(const Trace& right, std::string tensor, const Tensor& yours, const Tolerance& tolerance)
      : right_(up_to(right, tensor)), tensor_(std::move(tensor)), yours_(yours), tolerance_(tolerance) {}

  Diagnosis diagnose() {
    try_singles();
    Diagnosis found = fitting(tolerance_);
    if (!found.suspects.empty()) return judged(std::move(found), enough_evidence);
    const std::vector<Attempt> singles = std::move(attempts_);
    attempts_.clear();
    const bool tried = try_pairs();
    found = fitting(tolerance_);
    // Two mistakes are many combinations, and each is one more chance to fit by accident.
    if (!found.suspects.empty()) return judged(std::move(found), 2 * enough_evidence);
    attempts_ = singles;
    found = fitting(tolerance_of(DType::f32)); // computed in float32, saved in float64
    if (found.suspects.empty()) found = fitting_when_rounded();
    found.pairs_tried = tried;
    if (!found.suspects.empty()) found.confidence = Confidence::perhaps;
    return found;
  }

private:
  void attempt(const std::vector<const Mistake*>& made, const std::string& at = {}) {
    const WrongRun run = run_wrong(right_, made, at);
    if (run.replaced) return; // half a mistake
    if (const Step* step = run.trace.find(tensor_); step && std::ranges::count(run.changed, tensor_))
      attempts_.push_back({{made, at}, step->value});
  }

  // Each mistake knows the lesson's shapes; after another one they may not be there.
  void attempt_pair(const Mistake* first, const Mistake* second) {
    try {
      attempt({first, second});
    } catch (const std::exception&) { // they do not go together
    }
  }

  void try_singles() {
    std::size_t tried = 0;
    for (const Mistake& mistake : mistakes()) {
      tell_progress(mistake.id, {++tried, mistakes().size()});
      const WrongRun run = run_wrong(right_, {&mistake});
      if (run.made.empty()) continue;
      possible_.push_back({&mistake, run.made});
      if (const Step* step = run.trace.find(tensor_); step && std::ranges::count(run.changed, tensor_))
        attempts_.push_back({{{&mistake}, {}}, step->value});
      if (run.made.size() > 1)
        for (const std::string& step : run.made) attempt({&mistake}, step);
    }
  }

  bool try_pairs() {
    constexpr double max_cells = 1e8; // computed again: about a second
    const double pairs = static_cast<double>(possible_.size() * possible_.size()) / 2;
    if (pairs * static_cast<double>(cells_of(right_)) > max_cells) return false;
    for (std::size_t i = 0; i < possible_.size(); ++i)
      for (std::size_t j = i + 1; j < possible_.size(); ++j) {
        const auto &a = possible_[i], &b = possible_[j];
        attempt_pair(a.first, b.first);
        // At one step the second has the last word.
        if (std::ranges::any_of(a.second,
                                [&](const std::string& step) { return std::ranges::count(b.second, step); }))
          attempt_pair(b.first, a.first);
      }
    return true;
  }

  // One suspect for each set of mistakes: at all steps before at one.
  Diagnosis fitting(const Tolerance& tolerance) const {
    return fitting(
        [&](const Tensor& value) {
          const auto own = fitted(yours_, value.shape);
          return own && equal_within(with_blocked_rows_of(value, *own), value, tolerance);
        },
        tolerance);
  }

  template <class Fits>
  Diagnosis fitting(const Fits& fits, const Tolerance& tolerance) const {
    Diagnosis found;
    std::set<std::string> named;
    const Tensor& right = right_[tensor_];
    for (const Attempt& one : attempts_) {
      std::vector<const Mistake*> sorted = one.suspect.made;
      std::ranges::sort(sorted);
      std::string key;
      for (const Mistake* mistake : sorted) key += mistake->id + "+";
      if (named.contains(key) || !fits(one.value) || equal_within(one.value, right, tolerance)) continue;
      named.insert(key);
      found.suspects.push_back(one.suspect);
    }
    // Whoever makes a mistake makes it everywhere; half of one is the less likely story.
    const auto everywhere = [](const Suspect& suspect) { return suspect.at.empty(); };
    if (std::ranges::any_of(found.suspects, everywhere))
      std::erase_if(found.suspects, [&](const Suspect& suspect) { return !everywhere(suspect); });
    return found;
  }

  // The learner wrote the numbers down with so many decimals.
  Diagnosis fitting_when_rounded() const {
    const auto decimals = decimals_of(yours_);
    if (!decimals || *decimals == 0) return {};
    const double half = 0.5001 * std::pow(10.0, -*decimals);
    return fitting(
        [&](const Tensor& value) {
          const auto own = fitted(yours_, value.shape);
          return own && std::ranges::equal(own->data, value.data, [&](double a, double b) {
                   return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= half;
                 });
        },
        Tolerance{half, half});
  }

  Diagnosis judged(Diagnosis found, double enough) const {
    const auto own = fitted(yours_, right_[tensor_].shape);
    // Another shape alone says much; but the numbers must speak too.
    const Tensor& compared = own ? *own : yours_;
    found.confidence = evidence(compared, right_[tensor_], tolerance_) >= enough && compared.size() > 1 &&
                               at_least_two(compared)
                           ? Confidence::sure
                           : Confidence::perhaps;
    return found;
  }

  // One cell that differs can be anything.
  bool at_least_two(const Tensor& own) const {
    return difference(own, right_[tensor_], tolerance_).different > 1;
  }

  Trace right_;
  std::string tensor_;
  const Tensor& yours_;
  Tolerance tolerance_;
  std::vector<std::pair<const Mistake*, std::vector<std::string>>> possible_; ///< and the steps
  std::vector<Attempt> attempts_;
};

} // namespace

std::string Suspect::id() const {
  std::string text;
  for (const Mistake* mistake : made) text += (text.empty() ? "" : "+") + mistake->id;
  return text;
}

double evidence(const Tensor& yours, const Tensor& right, const Tolerance& tolerance) {
  const auto bits_of = [](double x) {
    if (!std::isfinite(x) || x == 0 || std::abs(x) == 1) return 1.0;
    if (x == std::round(x) && std::abs(x) < 100) return 2.0;
    return 20.0;
  };
  const bool same_shape = yours.shape == right.shape && yours.size() == right.size();
  const std::vector<bool> differs =
      same_shape ? differing_cells(yours, right, tolerance) : std::vector<bool>(yours.size(), true);
  double bits = 0;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < yours.size(); ++i) {
    const double x = yours.data[i];
    if (!differs[i]) continue;
    bits += seen.insert(format_number(x, 6)).second ? bits_of(x) : 1;
  }
  return bits;
}

Diagnosis diagnose(const Trace& right, const std::string& tensor, const Tensor& yours,
                   const Tolerance& tolerance) {
  return Search(right, tensor, yours, tolerance).diagnose();
}

} // namespace tfx
