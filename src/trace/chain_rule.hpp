#pragma once
// One step back: how the gradient of an operation's result gives that of one of its inputs.

#include "trace/trace.hpp"

#include <optional>

namespace tfx {

struct StepBack {
  std::string formula; ///< "dQ·W_Qᵀ"
  How how;             ///< reads the gradient of the step's result, "d" + its name
};

/// The gradient of input `i` of `step`; nothing where L does not move with it smoothly: masks, numbers of
/// words and places, the row's maximum that a softmax subtracts (which changes no weight), the choice of a
/// first maximum.
std::optional<StepBack> step_back(const Trace& trace, const Step& step, std::size_t i);

/// "dW_Q".
std::string gradient_name(const std::string& tensor);

} // namespace tfx
