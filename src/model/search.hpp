#pragma once
// From log-probabilities to a text, a token after the other: greedy takes the most probable one, sampling
// draws one from softmax(log_probs / T), of which top-k or top-p leave the most probable (Fan, Lewis, Dauphin
// 2018; Holtzman et al. 2019), and a beam keeps the `width` best targets at every step by score(target) = Σ
// log p(token) / ((5 + n) / 6)^A, where n counts the end token too (Wu et al. 2016, equation 14, without its
// coverage; Vaswani et al. 2017 decode with width 4, A = 0.6). Draws come from the stream (seed, "sample",
// step) at the source's place in the batch: the same whatever the number of threads and whoever else is in
// the batch. A beam of width 1 is greedy, one that keeps all is exhaustive search; A = 0 prefers short
// targets, as the sum can only fall, and the penalty makes up for it.

#include "model/kv_cache.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tfx {

/// Where a target starts and stops.
struct DecodeLimits {
  std::uint32_t start = 0;               ///< stands before the first token where the prompt has none
  std::optional<std::uint32_t> end = {}; ///< ends a target; none: only max_tokens does
  std::size_t max_tokens = 0;            ///< that are written at most, the end among them
};

/// The token to write, from the log-probabilities (a number a token of the vocabulary) at a step of a row.
using ChooseToken =
    std::function<std::uint32_t(const std::vector<double>& log_probs, std::size_t step, std::size_t row)>;

/// For every row of the prompt the tokens that `choose` takes, without the prompt and end. Targets that have
/// ended are not computed further: one is shorter than limits.max_tokens where it has ended. Throws
/// Error(bad_data) where start or a source's id is not in the vocabulary, a sequence is longer than the model
/// takes, or a log-probability is NaN.
template <class Real>
std::vector<TokenIds> write_tokens(const Transformer<Real>& model, const Prompt& prompt,
                                   const DecodeLimits& limits, Prefix prefix, const ChooseToken& choose);

/// The most probable token at every step; of equal ones the lowest id.
template <class Real>
std::vector<TokenIds> greedy(const Transformer<Real>& model, const Prompt& prompt, const DecodeLimits& limits,
                             Prefix prefix = Prefix::cached);

// The next token drawn by chance, from what the model gives and the learner lets through.
//
//   p = softmax(log_probs / T)      T < 1 sharpens, T > 1 flattens
//   top-k   the k most probable tokens, renormalised
//   top-p   of those the fewest most probable whose sum is at least p, renormalised
//
// Draws come from the stream (seed, "sample", step) at the source's place in the batch: the same whatever the
// number of threads and whoever else is in the batch before it has ended. Source: Fan, Lewis, Dauphin 2018
// (top-k); Holtzman et al. 2019 (top-p).

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

/// For every row tokens without prompt and end. Throws what greedy and choices throw.
template <class Real>
std::vector<TokenIds> sample(const Transformer<Real>& model, const Prompt& prompt, const DecodeLimits& limits,
                             const Sampling& sampling, Prefix prefix = Prefix::cached);

// Several targets at once, the best of them kept at every step.
//
//   score(target) = Σ log p(token | tokens before it) / penalty(length)      penalty(n) = ((5 + n) / 6)^A
//
// The length counts the end token. At every step each target that has not ended goes on with each token, and
// of all these and of those that have ended the `width` best scores are kept. With width 1 this is greedy;
// with a width that keeps all, it is exhaustive search. The sum can only fall with every token, so A = 0
// prefers short targets; the penalty makes up for it. Source: Wu et al. 2016, "Google's Neural Machine
// Translation System", equation 14, without its coverage; Vaswani et al. 2017 decode with width 4, A = 0.6.

struct Beam {
  std::size_t width = 4;     ///< at least 1
  double length_penalty = 0; ///< A; 0: plain sums
};

/// ((5 + length) / 6)^A
double length_penalty(std::size_t length, double exponent);

/// A target, as its last token.
struct BeamNode {
  std::optional<std::size_t> parent = {}; ///< the node of the tokens before it; none: it is the first
  std::uint32_t token = 0;
  std::size_t length = 1; ///< tokens of the target, the end among them
  double log_prob = 0;    ///< of the token, after those before it
  double sum = 0;         ///< of all its tokens' log_prob
  double score = 0;       ///< sum / penalty(length)
  bool kept = false;      ///< among the best of its step
  bool ended = false;     ///< its token is the end
};

struct BeamTree {
  std::vector<BeamNode> nodes; ///< every node that was expanded, step by step; of one parent the best first
  std::vector<std::size_t> ranked; ///< the targets at the last step, the best first

  /// The tokens from the first to the node's, without the end.
  TokenIds tokens(std::size_t node) const;
};

/// Of a target's next tokens the `width` most probable become nodes: no more could be kept. The
/// prompt is one row. Targets that have not ended after limits.max_tokens are ranked with the others. Throws
/// what greedy throws, and Error(bad_data) where the prompt has several rows or the width is 0.
template <class Real>
BeamTree beam_search(const Transformer<Real>& model, const Prompt& prompt, const DecodeLimits& limits,
                     const Beam& beam, Prefix prefix = Prefix::cached);

} // namespace tfx
