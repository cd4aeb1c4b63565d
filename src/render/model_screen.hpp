#pragma once
// The full model in short, with checks and cost, and as a table: every activation in a line, with its name,
// its shape and where its numbers lie.

#include "render/style.hpp"
#include "render/terminal.hpp"
#include "text/words.hpp"
#include "trace/checks.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Layers stand under a heading of their own; columns are left out from the right where the screen is narrow.
/// `words` has the headings of the columns (column.mean …).
std::vector<std::string> activation_table(const std::vector<ActivationSummary>& activations,
                                          const Words& words, const Style& style);

/// Without a tensor: its title, loss, checks, cost and where the weights are from.
std::string render_model_screen(const Trace& trace, const Screen& screen, const Words& words,
                                const Style& style);

/// Every activation: shape, mean, standard deviation, smallest and largest number.
std::string render_activations(const Trace& trace, const std::vector<ActivationSummary>& activations,
                               const Words& words, const Style& style);

} // namespace tfx
