#pragma once
// The full model's screen: what it is, every activation in a line, the checks, the cost.

#include "render/terminal.hpp"
#include "trace/statistics.hpp"

namespace tfx {

/// The activations in `screen.only` are printed whole instead, where there are any.
std::string render_model_screen(const Trace& trace, const std::vector<ActivationSummary>& activations,
                                const Screen& screen, const Words& words, const Style& style);

} // namespace tfx
