#pragma once
// One forward pass of the engine as a learner reads it: what was computed, by name and in order; checks that
// hold for any weights; what it cost.

#include "lessons/model/page_size.hpp"
#include "model/encoder_decoder.hpp"
#include "parity/recorder.hpp"

#include <optional>

namespace tfx {

struct ModelRun {
  std::vector<ActivationSummary> activations; ///< all, in order
  Trace trace;                                ///< the kept ones as steps; checks, facts, cost
  std::optional<Trace> page;                  ///< quick_page: the same run, each step with its operation
};

/// Throws Error(no_memory) where a run of so many tokens would not fit.
template <class Real>
void require_run(const EncoderDecoder<Real>& model, const PageTokens& tokens, const Keep& keep);

/// Checks: rows of attention weights and probabilities sum to 1; changing the last token of the target moves
/// no earlier row of log_probs; the walked parameters and the executed multiply-adds equal their closed
/// forms. `pad` is no token that the checks put in.
template <class Real>
ModelRun run_model(const EncoderDecoder<Real>& model, const Batch& src, const Batch& tgt, std::uint32_t pad,
                   const Keep& keep);

} // namespace tfx
