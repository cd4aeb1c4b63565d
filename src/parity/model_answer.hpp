#pragma once
// What a model says at every position of a target that it is given whole, and what becomes of that without
// one of its parts.

#include "lessons/model/intervention.hpp"
#include "model/batch.hpp"

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

} // namespace tfx
