#pragma once
// What the lesson on a layer measures beside its run.

#include "input/lesson_input.hpp"

namespace tfx {

/// One token under both rules of LayerNorm: experiment "norm_rules".
void compare_norms(Trace& trace, const std::string& X);

/// Other places of norm and residual: facts "placement_moved", "residual_wrong"; check "page_layer", that the
/// steps are the page's layer.
void check_placement(Trace& trace, const LessonInput& input);

/// The first norm, of `X`, leaves every token with mean 0: check "norm_mean".
void check_norm_mean(Trace& trace, const std::string& X);

/// The feed-forward of `fed` sees one token at a time: check "token_by_token".
void check_token_by_token(Trace& trace, const LessonInput& input, const std::string& fed);

/// Fact "activation", its name; of GELU and SiLU the least number that came out, "gelu_least", "silu_least".
void state_activation(Trace& trace, const LessonInput& input);

/// Copies of a layer own their numbers: check "clones_apart". Facts "clones" and "shared_moved".
void check_clones(Trace& trace);

/// Q as view and transpose see its memory: experiment "memory_layout"; check "strided_view", that a view
/// needs strides that fit and not contiguity.
void show_memory(Trace& trace, std::size_t heads);

/// What an optimizer changes and what only is stored: experiment "state".
void show_state(Trace& trace);

/// masked_fill on the tutorial's small tensor: experiment "masked_fill".
void show_masked_fill(Trace& trace);

/// The mean over many masks is the weights: check "dropout_mean"; facts on the rows of this mask.
void check_dropout(Trace& trace, const LessonInput& input);

} // namespace tfx
