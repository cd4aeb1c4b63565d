#pragma once
// tfx induction --train: a model of attention alone grows here, and is tested at once.

#include "input/lesson_input.hpp"
#include "options/option.hpp"
#include "render/report.hpp"

#include <optional>
#include <string>
#include <vector>

namespace tfx {

struct GrowthOptions {
  bool train = false;
  std::optional<std::size_t> steps, layers, period;
  std::optional<double> rate;
  std::optional<std::uint32_t> seed;
  std::optional<std::string> out;
};

/// For the lessons on text that repeats itself.
const std::vector<Option<GrowthOptions, InputRules>>& growth_options();

/// Trains, with `heads` a layer, and writes the file that was asked for: how the model grew, what each head
/// does and what is right at every period. Throws Error(usage) for heads that do not divide its width,
/// Error(no_memory), and what save_model throws.
Report grow_and_test(const GrowthOptions& options, std::optional<std::size_t> heads, bool with_time);

} // namespace tfx
