#pragma once
// What the lesson on the loss measures beside its run.

#include "trace/trace.hpp"

namespace tfx {

/// Rows of the target sum to 1, those of the padding to 0: check "target_rows"; the padding's rows of dlogits
/// are 0: check "padding_still".
void check_rows(Trace& trace);

/// dlogits = (softmax − target)/tokens: check "logits_gradient".
void check_logits_gradient(Trace& trace);

/// One number added to all keys' scores of a query moves no weight, so rows of dscores sum to 0, and with
/// them the gradient of a bias of the keys: check "key_bias". Fact "key_bias".
void check_key_bias(Trace& trace);

/// How large gradients are at the end and at the beginning of the way back: facts "flow_from", "flow_to", and
/// below what attention-block warns that they vanish, "flow_threshold".
void state_flow(Trace& trace);

/// The loss without the maximum inside, as attention-block computes it: facts "wrong_loss", "wrong_sum".
void compare_wrong_losses(Trace& trace);

/// The loss of a token by the probability of its label, without label smoothing and with the run's, or with
/// the paper's where the run has none: experiment "smoothing", fact "asked", of what probability a target
/// asks.
void show_smoothing(Trace& trace, double smoothing);

/// Gradients of the right shape that are wrong, beside the central differences: experiment "wrong_gradients".
void show_wrong_gradients(Trace& trace);

} // namespace tfx
