#include "judge/diagnosis.hpp"

#include "core/number.hpp"
#include "core/progress.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <set>
#include <utility>

namespace tfx {

namespace {

// The cells that are computed on the way to the tensor.
std::size_t cells_until(const Trace& right, const std::string& tensor) {
  std::size_t cells = 0;
  for (const Step& step : right.steps) {
    cells += step.value.size();
    if (step.name == tensor) break;
  }
  return cells;
}

// A way to come by the tensor, and what it fits: the learner's own numbers, those computed in float32 and
// saved in float64, or those written down with some decimals. The tensors themselves are not kept: they would
// be a hundred.
struct Attempt {
  Suspect suspect;
  bool fits = false, fits_in_float32 = false, fits_when_rounded = false;
};

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
  Search(const Trace& right, std::string tensor, const Tensor& yours, const Tolerance& tolerance,
         const std::vector<std::string>& right_ones)
      : right_(right),
        tensor_(std::move(tensor)),
        yours_(yours),
        tolerance_(tolerance),
        right_ones_(right_ones) {
    for (const Step& step : right.steps)
      if (step.name == tensor_ || std::ranges::count(right_ones, step.name)) until_ = step.name;
    if (const auto decimals = decimals_of(yours); decimals && *decimals > 0)
      half_ = 0.5001 * std::pow(10.0, -*decimals);
  }

  Diagnosis diagnose() {
    try_singles();
    Diagnosis found = fitting(&Attempt::fits);
    if (!found.suspects.empty()) return judged(std::move(found), enough_evidence);
    const std::vector<Attempt> singles = std::exchange(attempts_, {});
    const bool tried = try_pairs();
    found = fitting(&Attempt::fits);
    // Two mistakes are many combinations, and each is one more chance to fit by accident.
    if (!found.suspects.empty()) return judged(std::move(found), 2 * enough_evidence);
    attempts_ = singles;
    found = fitting(&Attempt::fits_in_float32);
    if (found.suspects.empty()) found = fitting(&Attempt::fits_when_rounded);
    found.pairs_tried = tried;
    if (!found.suspects.empty()) found.confidence = Confidence::perhaps, found.doubt = Doubt::rounding;
    return found;
  }

private:
  void attempt(const std::vector<const Mistake*>& made, const std::string& at = {}) {
    keep({made, at}, run_wrong(right_, made, at, until_));
  }

  // What fits in some way, and what does not differ from the right run only within that way.
  void keep(Suspect suspect, const WrongRun& run) {
    const Step* step = run.trace.find(tensor_);
    if (run.replaced || !step || !std::ranges::count(run.changed, tensor_))
      return; // replaced: half a mistake
    if (!std::ranges::all_of(right_ones_, [&](const std::string& name) { return keeps(run, name); })) return;
    const Tensor& value = step->value;
    auto own = fitted(yours_, value.shape);
    if (!own) return;
    const Tensor& right = right_[tensor_];
    Attempt one{std::move(suspect)};
    one.fits_when_rounded = half_ > 0 && rounded(*own, value) && !equal_within(value, right, {half_, half_});
    const Tensor seen = with_blocked_rows_of(value, std::move(*own));
    const auto fits = [&](const Tolerance& tolerance) {
      return equal_within(seen, value, tolerance) && !equal_within(value, right, tolerance);
    };
    one.fits = fits(tolerance_), one.fits_in_float32 = fits(tolerance_of(DType::f32));
    if (one.fits || one.fits_in_float32 || one.fits_when_rounded) attempts_.push_back(std::move(one));
  }

  bool keeps(const WrongRun& run, const std::string& name) const {
    const Step* step = run.trace.find(name);
    return step && equal_within(step->value, right_[name], tolerance_);
  }

  // The learner wrote the numbers down with so many decimals.
  bool rounded(const Tensor& own, const Tensor& value) const {
    return std::ranges::equal(own.data, value.data, [&](double a, double b) {
      return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= half_;
    });
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
      std::vector<std::string> made;
      {
        WrongRun run = run_wrong(right_, {&mistake}, {}, until_);
        keep({{&mistake}, {}}, run);
        made = std::move(run.made);
      }
      if (made.size() > 1 && !mistake.whole)
        for (const std::string& step : made) attempt({&mistake}, step);
      if (!made.empty()) possible_.push_back({&mistake, std::move(made)});
    }
  }

  bool try_pairs() {
    constexpr double max_cells = 1e8; // computed again: about a second
    const double pairs = static_cast<double>(possible_.size() * possible_.size()) / 2;
    if (pairs * static_cast<double>(cells_until(right_, tensor_)) > max_cells) return false;
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
  Diagnosis fitting(bool Attempt::*way) const {
    Diagnosis found;
    std::set<std::string> named;
    for (const Attempt& one : attempts_) {
      if (!(one.*way)) continue;
      std::vector<const Mistake*> sorted = one.suspect.made;
      std::ranges::sort(sorted);
      std::string key;
      for (const Mistake* mistake : sorted) key += mistake->id + "+";
      if (named.insert(key).second) found.suspects.push_back(one.suspect);
    }
    // Whoever makes a mistake makes it everywhere; half of one is the less likely story.
    const auto everywhere = [](const Suspect& suspect) { return suspect.at.empty(); };
    if (std::ranges::any_of(found.suspects, everywhere))
      std::erase_if(found.suspects, [&](const Suspect& suspect) { return !everywhere(suspect); });
    return found;
  }

  Diagnosis judged(Diagnosis found, double enough) const {
    const auto own = fitted(yours_, right_[tensor_].shape);
    // Another shape alone says much; but the numbers must speak too.
    const Tensor& compared = own ? *own : yours_;
    const bool is_enough = evidence(compared, right_[tensor_], tolerance_) >= enough && compared.size() > 1 &&
                           at_least_two(compared);
    found.doubt = !is_enough ? Doubt::few_numbers : found.suspects.size() > 1 ? Doubt::several : Doubt::none;
    found.confidence = found.doubt == Doubt::none ? Confidence::sure : Confidence::perhaps;
    return found;
  }

  // One cell that differs can be anything.
  bool at_least_two(const Tensor& own) const {
    return difference(own, right_[tensor_], tolerance_).different > 1;
  }

  const Trace& right_;
  std::string tensor_;
  const Tensor& yours_;
  Tolerance tolerance_;
  const std::vector<std::string>& right_ones_;
  std::string until_; ///< the last step that the tensor, or one of them, is
  double half_ = 0;   ///< of the last decimal; 0: the numbers were not rounded
  std::vector<std::pair<const Mistake*, std::vector<std::string>>> possible_; ///< and the steps
  std::vector<Attempt> attempts_;
};

} // namespace

std::string Suspect::id() const {
  std::string text;
  for (const Mistake* mistake : made) text += (text.empty() ? "" : "+") + mistake->id;
  return text;
}

const char* name_of(Doubt doubt) {
  switch (doubt) {
  case Doubt::none: return "";
  case Doubt::few_numbers: return "few_numbers";
  case Doubt::rounding: return "rounding";
  case Doubt::several: return "several";
  case Doubt::other_tensors: return "other_tensors";
  case Doubt::other_cases: return "other_cases";
  }
  return "";
}

std::vector<std::string> named(const Diagnosis& diagnosis) {
  std::vector<std::string> ids;
  if (diagnosis.confidence == Confidence::sure || diagnosis.doubt == Doubt::several)
    for (const Suspect& suspect : diagnosis.suspects) ids.push_back(suspect.id());
  return ids;
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
  const bool has_infinities = std::ranges::any_of(right.data, [](double x) { return std::isinf(x); });
  double bits = 0;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < yours.size(); ++i) {
    const double x = yours.data[i];
    if (!differs[i] || (!std::isfinite(x) && (std::isnan(x) || !has_infinities))) continue;
    bits += seen.insert(format_number(x, 6)).second ? bits_of(x) : 1;
  }
  return bits;
}

Diagnosis diagnose(const Trace& right, const std::string& tensor, const Tensor& yours,
                   const Tolerance& tolerance, const std::vector<std::string>& right_ones) {
  return Search(right, tensor, yours, tolerance, right_ones).diagnose();
}

} // namespace tfx
