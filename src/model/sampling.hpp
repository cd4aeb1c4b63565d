#pragma once
// The next token drawn by chance, from what the model gives and the learner lets through.
//
//   p = softmax(log_probs / T)      T < 1 sharpens, T > 1 flattens
//   top-k   the k most probable tokens, renormalised
//   top-p   of those the fewest most probable whose sum is at least p, renormalised
//
// Draws come from the stream (seed, "sample", step) at the source's place in the batch: the same whatever the
// number of threads and whoever else is in the batch before it has ended. Source: Fan, Lewis, Dauphin 2018
// (top-k); Holtzman et al. 2019 (top-p).

#include "model/search.hpp"

namespace tfx {

struct Sampling {
  double temperature = 1;                ///< above 0
  std::optional<std::size_t> top_k = {}; ///< at least 1
  double top_p = 1;                      ///< in (0, 1]
  std::uint64_t seed = 0;
};

struct Choice {
  std::uint32_t token = 0;
  double probability = 0;
};

/// What may be drawn, the most probable first (of equal ones the lowest id first); the probabilities sum
/// to 1. `log_probs` need not be normalised. Throws Error(bad_data) where temperature, top_k or top_p is out
/// of its range.
std::vector<Choice> choices(const std::vector<double>& log_probs, const Sampling& sampling);

/// The choice on which `uniform`, in [0, 1), falls when they lie side by side in order.
std::uint32_t draw(const std::vector<Choice>& choices, double uniform);

/// For every source tokens without start and end. Throws what greedy and choices throw.
template <class Real>
std::vector<TokenIds> sample(const EncoderDecoder<Real>& model, const Batch& src, const DecodeLimits& limits,
                             const Sampling& sampling, Prefix prefix = Prefix::cached);

} // namespace tfx
