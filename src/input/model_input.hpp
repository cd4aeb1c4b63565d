#pragma once
// What the lesson on the whole model runs on: two padded sentences and a drawn model small enough to print.

#include "input/options.hpp"

namespace tfx {

/// src, tgt (token ids, 0 is padding) and every parameter by the names and in the shapes of The Annotated
/// Transformer's state_dict, drawn tensor by tensor as `tfx model --preset toy` draws them: matrices
/// xavier-uniform, biases as torch.nn.Linear has them, norms 1 and 0. Throws Error(usage) for heads that do
/// not divide the width.
LessonInput drawn_model(const InputOptions& options);

} // namespace tfx
