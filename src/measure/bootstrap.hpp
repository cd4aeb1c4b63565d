#pragma once
// How far a measure would move with other sentences of the same kind: the bootstrap. As many pairs as there
// are get drawn anew, with replacement, and are measured together; of many such draws the middle 95 in 100
// are the interval. Source: Koehn 2004, "Statistical Significance Tests for Machine Translation Evaluation".

#include "measure/translation.hpp"
#include "random/stream.hpp"

#include <cstdint>
#include <vector>

namespace tfx {

/// Draw number `draw`: the sum of as many of the parts as there are, drawn with replacement.
template <class Counts>
Counts drawn_sum(const std::vector<Counts>& parts, std::uint64_t seed, std::size_t draw) {
  RandomStream stream(seed, stream_number("bootstrap"), draw);
  Counts sum;
  for (std::size_t i = 0; i < parts.size(); ++i)
    sum += parts[static_cast<std::size_t>(stream.uniform(i) * static_cast<double>(parts.size()))];
  return sum;
}

struct Interval {
  double low = 0, high = 0;
};

/// Where 95 in 100 of the drawn values lie: of the sorted ones the first and the last ⌊size/40⌋ are left out.
Interval interval_of(std::vector<double> drawn);

/// Of each measure: 95 in 100 of the draws lie from `low` to `high`.
struct Intervals {
  Measures low, high;
};

/// Draws this many times; the same for the same seed. `pairs` and `draws` are at least 1.
Intervals bootstrap(const std::vector<PairCounts>& pairs, std::size_t draws, std::uint64_t seed);

} // namespace tfx
