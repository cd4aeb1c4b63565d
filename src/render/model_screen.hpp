#pragma once
// The full model in short, checks and cost, and as a table: every activation in a line.

#include "render/terminal.hpp"
#include "trace/statistics.hpp"

namespace tfx {

/// Without a tensor: its title, loss, checks, cost and where the weights are from.
std::string render_model_screen(const Trace& trace, const Screen& screen, const Words& words,
                                const Style& style);

/// Every activation: shape, mean, standard deviation, smallest and largest number.
std::string render_activations(const Trace& trace, const std::vector<ActivationSummary>& activations,
                               const Words& words, const Style& style);

} // namespace tfx
