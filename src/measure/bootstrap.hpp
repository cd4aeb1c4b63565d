#pragma once
// How far a measure would move with other sentences of the same kind: the bootstrap. As many pairs as there
// are get drawn anew, with replacement, and are measured together; of many such draws the middle 95 in 100
// are the interval. Source: Koehn 2004, "Statistical Significance Tests for Machine Translation Evaluation".

#include "measure/translation.hpp"

#include <cstdint>
#include <vector>

namespace tfx {

/// Of each measure: 95 in 100 of the draws lie from `low` to `high`.
struct Intervals {
  Measures low, high;
};

/// Draws this many times; the same for the same seed. Of the sorted draws the first and the last
/// ⌊draws/40⌋ are left out. `pairs` and `draws` are at least 1.
Intervals bootstrap(const std::vector<PairCounts>& pairs, std::size_t draws, std::uint64_t seed);

} // namespace tfx
