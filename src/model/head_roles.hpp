#pragma once
// What an attention head looks at, measured. A rule names for each query some of the keys that the query may
// see: the one before it, the first one. A head's score of a rule is the share of its weight that falls on
// the keys that the rule names, the mean over queries; beside it stands what uniform attention over the
// visible keys would put there.
//
// A query counts for a rule only where the rule names some of its visible keys and not all of them: where
// nothing can be named the share is 0, where nothing else can be seen it is 1, whatever the head does.
//
// Related: Voita et al. 2019, "Analyzing Multi-Head Self-Attention", section 5; Clark et al. 2019, "What Does
// BERT Look At?", section 3.

#include "core/choices.hpp"
#include "core/tensor.hpp"
#include "model/batch.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tfx {

enum class HeadRule {
  previous,    ///< the key just before the query; self-attention
  next,        ///< the key just behind it; self-attention
  itself,      ///< the query's own place; self-attention
  same_token,  ///< other places where the query's token stands; self-attention
  first,       ///< the first key
  last,        ///< the last key; not in the decoder's self-attention, where it is the query itself
  punctuation, ///< keys of punctuation alone
  same_place,  ///< cross-attention: key i for the token that is written at place i
  mirrored,    ///< cross-attention: key n − 1 − i for it
  aligned      ///< cross-attention: the source word that the written one goes with (model/word_alignment.hpp)
};
constexpr std::size_t head_rule_count = 10;

/// "previous", …, in the order of the enum.
const Choices<HeadRule>& head_rules();

enum class AttentionKind { encoder, decoder, cross };

/// "encoder.layers.0.self_attn" → encoder.
AttentionKind attention_kind(const std::string& place);

/// A pair as the rules see it.
struct RolePair {
  TokenIds src, tgt;                             ///< tgt: what the decoder reads, from the start token on
  std::vector<std::string> src_names, tgt_names; ///< a token each
  /// The keys aligned with the token that is written at a place of tgt; of places behind its end none are.
  std::vector<std::vector<std::size_t>> aligned = {};
};

/// Sums over queries until `mean`.
struct RuleShare {
  double weight = 0, uniform = 0;
  std::size_t queries = 0;

  RuleShare mean() const;
};

struct HeadScores {
  std::string part;                               ///< "encoder.layers.0.self_attn.head.2"
  std::array<RuleShare, head_rule_count> rules{}; ///< sums
  std::size_t queries = 0;                        ///< all that were seen, whatever the rules

  RuleShare of(HeadRule rule) const { return rules[static_cast<std::size_t>(rule)].mean(); }

  /// The rule whose share exceeds uniform attention by most, of those that count for at least
  /// role_queries of the queries; none where no rule does.
  std::optional<HeadRule> best() const;

  /// The best rule where it is the head's: at least role_weight of the weight lies on the named keys, and
  /// role_times as much as if it were uniform.
  std::optional<HeadRule> role() const;

  /// The role's name; else "none", and behind a blank the name of the best rule where there is one.
  std::string said() const;
};

constexpr double role_weight = 0.4, role_times = 2, role_queries = 0.1;

/// Which of the keys (1) a rule names for each query, (n_q, n_k), masked ones included.
Tensor named_keys(HeadRule rule, AttentionKind kind, const RolePair& pair);

/// Heads in the order in which their attentions came.
class HeadMeter {
public:
  /// Weights (h, n_q, n_k) of an attention on one pair.
  void add(const std::string& place, const Tensor& weights, const RolePair& pair);

  const std::vector<HeadScores>& heads() const { return heads_; }

private:
  std::size_t first_of(const std::string& place, std::size_t heads);

  std::vector<HeadScores> heads_;
};

} // namespace tfx
