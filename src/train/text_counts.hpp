#pragma once
// The models that count, on the documents of a text: what a learned model of it is held against.

#include "ngram/kneser_ney.hpp"
#include "train/text_loss.hpp"

#include <vector>

namespace tfx {

/// All orders, from documents between their start and their end. Throws std::bad_alloc where the
/// counts do not fit.
KneserNey counted_model(const TaskFacts& facts, const std::vector<Example>& documents);

/// What each document costs by each order: [order − 1][document].
std::vector<std::vector<TextLoss>> counted_losses(const KneserNey& counted,
                                                  const std::vector<Example>& documents);

} // namespace tfx
