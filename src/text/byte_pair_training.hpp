#pragma once
// Byte-pair encoding learned from a text: the pair of neighbours that stands there most often becomes a
// token, then the next, so many times. Pairs are counted inside pieces (text/byte_pairs.hpp). Of equal counts
// the pair comes first whose left token is older, then the one whose right token is; so the same text gives
// the same merges everywhere. A merge costs as much as there are places where it is made, whatever their
// piece.

#include "text/byte_pairs.hpp"

#include <functional>

namespace tfx {

struct LearnedMerge {
  Merge merge;
  std::size_t count = 0; ///< how often the pair stood in the text then
};

struct LearnedBytePairs {
  std::vector<LearnedMerge> merges;
  std::size_t bytes = 0, pieces = 0, different_pieces = 0; ///< of the text
  std::size_t tokens = 0;                                  ///< of the text, after the last merge

  BytePairs pairs() const;
};

/// At most `merges`: fewer where no pair stands twice any more, as that is no pattern. `tell` hears how many
/// are made. Throws Error(usage) where the text is no UTF-8, Error(no_memory) where it does not fit.
LearnedBytePairs learn_byte_pairs(std::string_view text, std::size_t merges,
                                  const std::function<void(std::size_t)>& tell = {});

} // namespace tfx
