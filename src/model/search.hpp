#pragma once
// From log-probabilities to a text, a token after the other: which one is written next?
//
// The choice is the caller's: the most probable one (greedy, here), one drawn by chance (model/sampling.hpp).
// Several targets at once are in model/beam_search.hpp.

#include "model/next_token.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tfx {

/// Where a target starts and stops.
struct DecodeLimits {
  std::uint32_t start = 0;               ///< stands before the first token
  std::optional<std::uint32_t> end = {}; ///< ends a target; none: only max_tokens does
  std::size_t max_tokens = 0;            ///< that are written at most, the end among them
};

/// The token to write, from the log-probabilities (a number a token of the vocabulary) at a step of a source.
using ChooseToken =
    std::function<std::uint32_t(const std::vector<double>& log_probs, std::size_t step, std::size_t source)>;

/// For every source the tokens that `choose` takes, without start and end. Targets that have ended are not
/// computed further: one is shorter than limits.max_tokens where it has ended. Throws Error(bad_data) where
/// start or a source's id is not in the vocabulary, a sequence is longer than the model takes, or a
/// log-probability is NaN.
template <class Real>
std::vector<TokenIds> write_tokens(const EncoderDecoder<Real>& model, const Batch& src,
                                   const DecodeLimits& limits, Prefix prefix, const ChooseToken& choose);

/// The most probable token at every step; of equal ones the lowest id.
template <class Real>
std::vector<TokenIds> greedy(const EncoderDecoder<Real>& model, const Batch& src, const DecodeLimits& limits,
                             Prefix prefix = Prefix::cached);

} // namespace tfx
