#include "cli/check/other_options.hpp"

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

std::vector<OtherOptions> others(const InputOptions& options, const Trace& right) {
  std::vector<OtherOptions> all;
  const auto add = [&](const std::string& typed, auto change) {
    InputOptions other = options;
    change(other);
    all.push_back({typed, std::move(other)});
  };
  add("--on-masked-row nan", [](InputOptions& o) { o.masked_row = FullyMaskedRow::nan; });
  const auto standard = page::NormRule::standard, annotated = page::NormRule::annotated;
  const bool is_standard = options.norm.value_or(annotated) == standard;
  const bool first = options.norm_first.value_or(true);
  const std::string norm = is_standard ? "--norm annotated" : "--norm standard";
  const std::string place = first ? "--norm-last" : "--norm-first";
  const auto other_norm = [=](InputOptions& o) { o.norm = is_standard ? annotated : standard; };
  const auto other_place = [=](InputOptions& o) { o.norm_first = !first; };
  add(norm, other_norm), add(place, other_place);
  add(norm + " " + place, [=](InputOptions& o) { other_norm(o), other_place(o); });
  const auto relu = page::Activation::relu;
  for (const auto& [typed, activation] : {std::pair("--activation relu", relu),
                                          {"--activation gelu", page::Activation::gelu},
                                          {"--activation silu", page::Activation::silu}})
    if (options.activation.value_or(relu) != activation)
      add(typed, [a = activation](InputOptions& o) { o.activation = a; });
  if (!options.causal) add("--causal", [](InputOptions& o) { o.causal = true; });
  const bool upper = options.causal_align.value_or(CausalAlign::upper_left) == CausalAlign::upper_left;
  add(upper ? "--causal-align lower-right" : "--causal-align upper-left",
      [=](InputOptions& o) { o.causal_align = upper ? CausalAlign::lower_right : CausalAlign::upper_left; });
  for (std::size_t pad = 0; pad <= 4; ++pad)
    if (pad != options.pad) add("--pad " + std::to_string(pad), [=](InputOptions& o) { o.pad = pad; });
  const Step* X = right.find("X");
  const std::size_t d_model = X && X->value.rank() ? X->value.shape.back() : 0;
  for (std::size_t heads = 1; heads <= d_model && heads <= 16; ++heads)
    if (d_model % heads == 0 && heads != options.heads.value_or(1))
      add("--heads " + std::to_string(heads), [=](InputOptions& o) { o.heads = heads; });
  for (const auto& [typed, smoothing] : {std::pair("--smoothing 0", 0.0), {"--smoothing 0.1", 0.1}})
    if (options.smoothing.value_or(0) != smoothing)
      add(typed, [&, s = smoothing](InputOptions& o) { o.smoothing = s; });
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
  for (const OtherOptions& other : others(options, right)) {
    if (first_unfit(input_options(), other.options, InputRules(lesson))) continue;
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
