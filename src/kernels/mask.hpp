#pragma once
// Which keys a query may see.

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

  bool operator()(std::size_t key, std::size_t column) const {
    if (keys && !keys[key]) return false;
    return mask == Mask::none || key <= first_query + column;
  }
};

} // namespace tfx
