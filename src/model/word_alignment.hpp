#pragma once
// Which word of a source a word of its translation goes with, from the pairs alone: nobody has marked it.
//
// IBM model 1: each target word was made by one of the source's words or by none of them (a word NULL that
// stands in every source), whichever, all places alike; t(f|e), how often e makes f, is what makes the pairs
// most probable (expectation maximisation from uniform). Source: Brown et al. 1993, "The Mathematics of
// Statistical Machine Translation", section 4.1.

#include "model/batch.hpp"

#include <vector>

namespace tfx {

struct TextPair {
  TokenIds source, target;
};

/// For each pair and each of its target's tokens the places of the source token that made it with more than
/// even probability, all of them where it stands there several times; none where NULL did, or nobody clearly:
/// so of a single pair. `rounds` of expectation maximisation.
std::vector<std::vector<std::vector<std::size_t>>> align_words(const std::vector<TextPair>& pairs,
                                                               std::size_t rounds = 10);

} // namespace tfx
