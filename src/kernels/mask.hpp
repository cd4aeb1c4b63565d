#pragma once
// Which keys a query may see.

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace tfx {

/// causal: query i sees the keys 0 … i, as torch.tril(torch.ones(n_q, n_k)).
enum class Mask { none, causal };

/// Which keys (rows of the scores) each query (a column) may see: visible(key, column).
struct AttentionMask {
  const std::uint8_t* keys = nullptr; ///< one a key, 0 where no query may see it; nullptr: all may be seen
  Mask mask = Mask::none;
  std::size_t first_query = 0; ///< the query that stands in column 0
  std::size_t window = 0;      ///< causal: query i sees the keys i − window + 1 … i alone; 0: all up to i

  bool operator()(std::size_t key, std::size_t column) const {
    if (keys && !keys[key]) return false;
    const std::size_t query = first_query + column;
    return mask == Mask::none || (key <= query && (window == 0 || query - key < window));
  }

  /// The keys first … last − 1 of n_k are those that mask and window let the queries of two columns, or of
  /// one between them, see.
  struct Range {
    std::size_t first, last;
  };
  // A call: where GCC inlines it everywhere, attention.cpp has grown so much that GCC stops inlining the
  // steps of a transposition, and 64 queries take 12 % longer.
  [[gnu::noinline]] Range seen(std::size_t n_k, std::size_t first_column, std::size_t last_column) const {
    if (mask == Mask::none) return {0, n_k};
    const std::size_t last = std::min(n_k, first_query + last_column + 1),
                      past = first_query + first_column + 1; // keys that the first of them would see
    return {std::min(last, window == 0 || past <= window ? 0 : past - window), last};
  }
};

} // namespace tfx
