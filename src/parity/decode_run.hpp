#pragma once
// The two ways of a decoder through the same target, measured: token by token, as prediction goes, and all
// positions in one masked pass, as training goes.

#include "core/tensor.hpp"
#include "model/kv_cache.hpp"

#include <cstdint>
#include <vector>

namespace tfx {

template <class Real>
struct StepsRun {
  arma::Mat<Real> log_probs;       ///< tgt_vocab × steps
  std::uint64_t first_macs = 0;    ///< before the first step: the encoder, with a cache K and V of the memory
  std::vector<std::uint64_t> macs; ///< executed, a number a step
  std::vector<double> seconds;     ///< a number a step
  std::vector<std::uint64_t> cache_bytes; ///< after each step
};

template <class Real>
struct TimedSteps : StepsRun<Real> {
  std::size_t timed_runs = 1; ///< that the seconds are medians of
};

/// A step a token of `inputs`: the start and what has been written. `src` is one sequence.
template <class Real>
StepsRun<Real> run_steps(const Transformer<Real>& model, const Batch& src, const TokenIds& inputs,
                         Prefix prefix);

/// The same, each step's time the median of several runs after the first, which warms up: at least three, as
/// many as fit into a fifth of a second. Where three more would take longer than two seconds, the times are
/// the first run's.
template <class Real>
TimedSteps<Real> timed_steps(const Transformer<Real>& model, const Batch& src, const TokenIds& inputs,
                             Prefix prefix);

template <class Real>
struct PassRun {
  arma::Mat<Real> log_probs; ///< tgt_vocab × tokens
  std::uint64_t macs = 0;    ///< executed by the decoder and the generator
  double seconds = 0;
  std::vector<Tensor> source_weights; ///< of every layer's cross-attention: (h, tokens, tokens of the source)
  /// By name, (tokens, d_model): what every layer of the encoder and of the decoder gives on, memory and
  /// decoder.output.
  std::vector<std::pair<std::string, Tensor>> hidden;
};

template <class Real>
PassRun<Real> run_pass(const Transformer<Real>& model, const Batch& src, const TokenIds& inputs);

/// The worst |a − b| / max(1, |b|) of two sizes that are equal.
template <class Real>
double largest_difference(const arma::Mat<Real>& a, const arma::Mat<Real>& b);

} // namespace tfx
