#include "train/text_counts.hpp"

#include <numbers>

namespace tfx {

namespace {

/// Without its start and its end, which counting adds itself.
TokenIds inside(const Example& document) {
  return {document.tgt.begin() + 1, document.tgt.end() - 1};
}

} // namespace

KneserNey counted_model(const TaskFacts& facts, const std::vector<Example>& documents) {
  std::vector<TokenIds> tokens;
  for (const Example& document : documents) tokens.push_back(inside(document));
  // The start is never said, and neither is padding.
  const std::size_t said = facts.tgt_vocabulary.size() - (facts.start == *facts.end ? 0 : 2);
  return {tokens, said, *facts.end};
}

std::vector<std::vector<TextLoss>> counted_losses(const KneserNey& counted,
                                                  const std::vector<Example>& documents) {
  std::vector<std::vector<TextLoss>> losses(counted.order());
  for (const Example& document : documents) {
    const Tensor log_probs = counted.log_probs(inside(document));
    for (std::size_t n = 0; n < losses.size(); ++n) {
      double bits = 0;
      for (std::size_t i = 0; i + 1 < document.tgt.size(); ++i) bits -= log_probs.at({n, i});
      losses[n].push_back(text_loss(document, bits * std::numbers::ln2));
    }
  }
  return losses;
}

} // namespace tfx
