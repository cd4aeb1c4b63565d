#pragma once
// The rungs of the ladder, one after another: each is compared with the first one, and timed only if it gives
// the same result.

#include "bench/figure.hpp"
#include "bench/rungs.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tfx::bench {

struct Climbed {
  std::string id;
  double difference = 0;        ///< from the first rung, relative to its largest number
  bool equal = false;           ///< within case.hpp's rounding_bound
  std::optional<Figure> figure; ///< none where it differs, or nobody asked; beside the peak of all threads
  std::size_t threads = 1;      ///< that it ran on
  std::size_t memory = 0;       ///< bytes that its first run took beyond what was there; 0 where unknown
};

/// Called with what comes next: the id of a rung, or "n = 512".
using Watch = std::function<void(const std::string&)>;

/// Every rung on the same block. Without `repeats` none is timed.
std::vector<Climbed> climb(const std::vector<Rung>& rungs, const AttentionBlock& block,
                           const std::optional<Repeats>& repeats, const Watch& watch = {});

/// One head of the block's width, with whole scores and fused, at n tokens.
struct Grown {
  std::size_t n = 0;
  Climbed whole, fused;
};

/// For n from `first` on, doubled up to `last`; as far as the memory reaches.
std::vector<Grown> grow(std::size_t d_k, std::size_t first, std::size_t last, const Repeats& repeats,
                        const Watch& watch = {});

} // namespace tfx::bench
