#pragma once
// The smallest model that has something to learn, and how wrong it is, as steps that the lessons loss and
// train share.

#include "input/lesson_input.hpp"

namespace tfx {

/// One attention of X and a projection onto the vocabulary, W_O: "logits".
void add_logits(Trace& trace, const LessonInput& input, Role role);

/// target, and loss = the mean over the labels that are not padding. The trace has logits, log_probs, labels
/// and pad_id. `smoothing` is in [0, 1). Fact: tokens.
void add_mean_loss(Trace& trace, double smoothing, Role role);

/// From logits to the one number: log_probs, probs, target and loss, with the facts "tokens" and, where
/// nothing is smoothed, "perplexity". Gives labels and pad_id. Throws Error(bad_data) for logits that are NaN
/// or +∞.
void add_loss(Trace& trace, const LessonInput& input, Role role);

/// A place of the text whose next token is asked for.
struct AskedPlace {
  std::string name; ///< "<BOS> → I"
  double p = 0;     ///< what its label got
  double cost = 0;  ///< its part of the loss before the mean: −ln p where nothing is smoothed
};

/// Those of a run, without padding: of `probs` and `log_probs`, or of those names with `suffix` behind them.
std::vector<AskedPlace> asked_places(const Trace& trace, const std::string& suffix = "");

} // namespace tfx
