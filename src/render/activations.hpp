#pragma once
// The activations of a model, one a line: name, shape, and where their numbers lie.

#include "render/style.hpp"
#include "text/words.hpp"
#include "trace/statistics.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Layers stand under a heading of their own; columns are left out from the right where the screen is narrow.
/// `words` has the headings of the columns (column.mean …).
std::vector<std::string> activation_table(const std::vector<ActivationSummary>& activations,
                                          const Words& words, const Style& style);

} // namespace tfx
