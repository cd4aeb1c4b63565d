#pragma once
// What a model says at every position of a target that it is given whole, and what becomes of that without
// one of its parts: a sublayer, or a head, of which it is measured too what it looks at over a set of pairs.

#include "lessons/model/intervention.hpp"
#include "model/batch.hpp"
#include "model/head_roles.hpp"
#include "model/transformer.hpp"

#include <vector>

namespace tfx {

struct AnswerRow {
  std::uint32_t read = 0;  ///< the token that stands here
  std::uint32_t right = 0; ///< the one that should come next
  std::uint32_t other = 0; ///< the most probable of the others
  double p_right = 0, p_other = 0;

  bool is_right() const { return p_right > p_other; }
};

/// A row for each token that is no padding. `right` has a token for every one of tgt; where it is empty, the
/// most probable one counts as right. `log_probs`: (n, vocabulary), or a batch of them.
std::vector<AnswerRow> answer_of(const Tensor& log_probs, const Batch& tgt, const TokenIds& right);

/// The mean probability of the right token.
double mean_probability(const std::vector<AnswerRow>& answer);

/// The right tokens of an answer, to ask a changed run for the same ones.
TokenIds right_tokens(const Tensor& log_probs, const Batch& tgt, const TokenIds& right);

/// The experiment "ablation": by how much the mean probability of the right token falls when a sublayer, or
/// one head of it, adds nothing. A row a sublayer; a column "all" and one a head, NaN where there is none.
/// `page` is a run of run_model_page.
Experiment ablation(const Trace& page, const Batch& tgt, const TokenIds& right);

/// How many multiply-adds the runs of `ablation` take at most.
double ablation_macs(const Trace& page);

/// How well the model says the right tokens, each behind the right ones before it.
struct SaidRight {
  double log_probability = 0; ///< of a right token, the mean
  double share = 0;           ///< of positions where the right token is the most probable one
};

struct MeasuredRoles {
  std::vector<HeadScores> heads;
  SaidRight whole;
  std::vector<SaidRight> without; ///< a head each: its mixture is 0, the other heads and W_O's bias stay
};

/// The part of each head's attention that falls on what rules name, over all pairs.
template <class Real>
std::vector<HeadScores> head_scores(const Transformer<Real>& model, const std::vector<RolePair>& pairs);

/// The model without a head: what of W_O reads its mixture is 0. `part`: "encoder.layers.0.self_attn.head.2".
template <class Real>
Transformer<Real> without_head(Transformer<Real> model, const std::string& part);

/// `right`: for each pair the token that each place of its tgt should say. Tells progress.
template <class Real>
SaidRight said_right(const Transformer<Real>& model, const std::vector<RolePair>& pairs,
                     const std::vector<TokenIds>& right);

template <class Real>
MeasuredRoles measured_roles(const Transformer<Real>& model, const std::vector<RolePair>& pairs,
                             const std::vector<TokenIds>& right);

} // namespace tfx
