#pragma once
// Several targets at once, the best of them kept at every step.
//
//   score(target) = Σ log p(token | tokens before it) / penalty(length)      penalty(n) = ((5 + n) / 6)^A
//
// The length counts the end token. At every step each target that has not ended goes on with each token, and
// of all these and of those that have ended the `width` best scores are kept. With width 1 this is greedy;
// with a width that keeps all, it is exhaustive search. The sum can only fall with every token, so A = 0
// prefers short targets; the penalty makes up for it. Source: Wu et al. 2016, "Google's Neural Machine
// Translation System", equation 14, without its coverage; Vaswani et al. 2017 decode with width 4, A = 0.6.

#include "model/search.hpp"

namespace tfx {

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

/// Of a target's next tokens the `width` most probable become nodes: no more could be kept. `src` is one
/// sequence. Targets that have not ended after limits.max_tokens are ranked with the others. Throws what
/// greedy throws, and Error(bad_data) where src has several sequences or the width is 0.
template <class Real>
BeamTree beam_search(const EncoderDecoder<Real>& model, const Batch& src, const DecodeLimits& limits,
                     const Beam& beam, Prefix prefix = Prefix::cached);

} // namespace tfx
