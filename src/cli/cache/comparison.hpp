#pragma once
// The same target written with and without a cache, step by step: what each step costs, and that both give
// the same.

#include "model/model_card.hpp"
#include "model/search.hpp"
#include "trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace tfx {

struct StepCost {
  std::uint64_t executed = 0, by_formula = 0; ///< multiply-adds
  double seconds = 0;                         ///< a median
};

struct ComparedStep {
  std::uint32_t token = 0; ///< that it writes
  StepCost cached, recomputed;
  std::uint64_t cache_bytes = 0;
  double difference = 0; ///< the largest of the log-probabilities, |a − b| / max(1, |b|)
};

struct CacheComparison {
  std::vector<ComparedStep> steps;
  TokenIds tokens;            ///< without start and end
  std::size_t timed_runs = 1; ///< that the times are medians of, at least
  Trace trace;                ///< both log_probs; facts; checks
};

/// Greedy. Checks: the same tokens, the same log-probabilities, the executed multiply-adds and the bytes of
/// the cache equal their formulas, and a kept key is what the whole pass computes again.
CacheComparison compare_cache(const Transformer<double>& model, const ModelCard& card, const TokenIds& src,
                              const DecodeLimits& limits);

} // namespace tfx
