#include "judge/other_options.hpp"

#include "core/error.hpp"
#include "lessons/run.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

namespace {

struct OtherOptions {
  std::string typed;
  InputOptions options;
};

// Each value that a row of the table says is worth trying, and is not asked for already; a norm also with its
// other place, since a layer of PyTorch's has both.
std::vector<OtherOptions> others(const InputOptions& options, const InputRules& lesson) {
  std::vector<OtherOptions> all;
  const auto add = [&](const OtherOptions& from, const auto& row) {
    for (const std::string& value : row.to_try) {
      const auto given = row.given(from.options);
      const bool is_replaced = std::ranges::any_of(input_options(), [&](const auto& other) {
        return other.given(from.options) && std::ranges::count(other.excluded, row.name);
      });
      if (given ? *given == value : !is_replaced && row.is_usual(value, lesson)) continue;
      OtherOptions other = from;
      other.typed += (other.typed.empty() ? "" : " ") + row.name + (value.empty() ? "" : " " + value);
      row.read(other.options, value);
      if (!first_unfit(input_options(), other.options, lesson)) all.push_back(std::move(other));
    }
  };
  for (const auto& row : input_options()) add({"", options}, row);
  const std::size_t singles = all.size();
  for (std::size_t i = 0; i < singles; ++i)
    for (const auto& row : input_options())
      if (all[i].typed.starts_with("--norm ") && row.name.starts_with("--norm-")) add(all[i], row);
  return all;
}

// What is given is the same with every option.
bool gives(const Trace& run, const std::vector<HandedIn>& arrays, const std::optional<Tolerance>& tolerance) {
  bool computed = false;
  for (const HandedIn& own : arrays) {
    const Step* step = run.find(own.tensor);
    if (!step) return false;
    if (!compared(own, step->value, tolerance.value_or(tolerance_of(own.array.dtype))).difference.equal())
      return false;
    computed |= !step->operation.is(op::given);
  }
  return computed;
}

} // namespace

std::optional<std::string> option_that_fits(const Lesson& lesson, const InputOptions& options,
                                            const Trace& right, const std::vector<HandedIn>& arrays,
                                            const std::optional<Tolerance>& tolerance) {
  std::size_t cells = 0;
  for (const Step& step : right.steps) cells += step.value.size();
  constexpr std::size_t max_cells = 100000; // some twenty runs: about a second
  if (cells > max_cells) return {};
  for (const OtherOptions& other : others(options, lesson)) {
    try {
      if (gives(run_lesson(lesson, other.options, RunFor::values).trace, arrays, tolerance))
        return other.typed;
    } catch (const Error&) { // options that do not go together
    }
  }
  return {};
}

/// Whether the answer fits the words' vectors as version 0.1 drew them.
bool fits_old_draw(const Lesson& lesson, const InputOptions& options, const std::vector<HandedIn>& arrays,
                   const std::optional<Tolerance>& tolerance) {
  if (!options.text && !options.source && lesson.stage != Stage::tokens) return false;
  InputOptions old = options;
  old.word_draws = WordDraws::in_order;
  try {
    return gives(run_lesson(lesson, old, RunFor::values).trace, arrays, tolerance);
  } catch (const Error&) {
    return false;
  }
}

/// A loss that is PyTorch's own with the same smoothing.
bool is_torch_loss(const Trace& right, const std::vector<HandedIn>& arrays) {
  const auto fact = right.facts.find("torch_loss");
  if (fact == right.facts.end()) return false;
  const double torch = std::get<double>(fact->second);
  return std::ranges::any_of(arrays, [&](const HandedIn& one) {
    const std::vector<double>& handed_in = one.array.values.data;
    return one.tensor == "loss" && handed_in.size() == 1 && std::abs(handed_in[0] - torch) <= 1e-6 * torch;
  });
}

void tell_option(CheckReport& report, const Lesson& lesson, const InputOptions& options, const Trace& right,
                 const std::vector<HandedIn>& arrays, const std::optional<Tolerance>& tolerance) {
  if (report.equal()) return;
  if (fits_old_draw(lesson, options, arrays, tolerance)) {
    report.observations.insert(report.observations.begin(), {"old_draw", {}});
    return;
  }
  if (is_torch_loss(right, arrays)) {
    report.observations.insert(report.observations.begin(), {"torch_smoothing", {}});
    return;
  }
  if (auto option = option_that_fits(lesson, options, right, arrays, tolerance))
    report.observations.insert(report.observations.begin(), {"option", {{"option", *option}}});
}

} // namespace tfx
