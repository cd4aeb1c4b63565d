#pragma once
// From the logits of one step to the token that is written, and what a step of attention keeps for the next
// ones. Plain Armadillo in double, a token of the vocabulary a column, a word that was read a row. Source:
// Fan et al. 2018, "Hierarchical Neural Story Generation" (top-k); Holtzman et al. 2020, "The Curious Case of
// Neural Text Degeneration" (top-p); Wu et al. 2016, equation 14 (the penalty of a length); Shazeer 2019,
// "Fast Transformer Decoding", section 2.

#include "page/layer_formulas.hpp"

namespace tfx::page {

// 15 decode — P : a distribution a row, V tokens wide
mat top_k(const mat& P, arma::uword k); ///< 1 at the k largest of a row, else 0; of equal ones the first
mat mass_before(const mat& P);          ///< Σ of what is larger in the row: what a sorted list has before
mat renormalised(const mat& P, const mat& kept);      ///< P⊙kept, divided by its sum
mat drawn(const mat& P, const mat& before, double u); ///< 1 at the token with before ≤ u < before + p

struct Sampling {
  double temperature = 0.5;
  arma::uword top_k = 5;
  double top_p = 0.9;
};
struct Sampled {
  mat tempered, probs;         ///< logits/τ, and their softmax
  mat kept_k, probs_k;         ///< the k most probable, renormalised
  mat before, kept_p, probs_p; ///< of these the fewest that reach p: those with less than p before them
  mat drawn;                   ///< where u falls
};
Sampled sample_from(const mat& logits, const Sampling& sampling, double u);

/// Σ log p / ((5 + n)/6)^exponent of targets of n tokens, a column each; what stands behind is not counted.
rowvec beam_scores(const mat& log_probs, const rowvec& lengths, double exponent);

// 16 cache — K and V of what was read, a row each
struct Cache {
  mat K, V;
};
/// The output of a step that reads `x`: its key and value are kept, and its query alone asks.
rowvec cached_step(const rowvec& x, const Projections& p, Cache& cache);

} // namespace tfx::page
