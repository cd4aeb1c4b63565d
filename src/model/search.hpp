#pragma once
// From log-probabilities to a text: which token to write next.

#include "model/next_token.hpp"

#include <optional>
#include <vector>

namespace tfx {

/// Where a target starts and stops.
struct Limits {
  std::uint32_t start = 0;               ///< stands before the first token
  std::optional<std::uint32_t> end = {}; ///< ends a target; none: only max_tokens does
  std::size_t max_tokens = 0;            ///< that are written at most, the end among them
};

/// The most probable token at every step, for every source: tokens without start and end. Targets that have
/// ended are not computed further. Of equal tokens the lowest id is taken. Throws Error(bad_data) where start
/// or a source's id is not in the vocabulary, or a sequence is longer than the model takes.
template <class Real>
std::vector<TokenIds> greedy(const EncoderDecoder<Real>& model, const Batch& src, const Limits& limits,
                             Prefix prefix = Prefix::cached);

} // namespace tfx
