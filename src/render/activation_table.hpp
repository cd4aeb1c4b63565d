#pragma once
// Every activation of a model in a line, with its name, its shape and where its numbers lie.

#include "render/style.hpp"
#include "text/words.hpp"
#include "trace/checks.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Layers stand under a heading of their own; columns are left out from the right where the screen is narrow.
/// `words` has the headings of the columns (column.mean …).
std::vector<std::string> activation_table(const std::vector<ActivationSummary>& activations,
                                          const Words& words, const Style& style);

} // namespace tfx
