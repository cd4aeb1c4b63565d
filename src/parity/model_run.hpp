#pragma once
// One forward pass of the engine as a learner reads it: its activations by name, in the order in which they
// were computed and in NumPy's order of axes; checks that hold for any weights; what it cost; and the loss
// with the gradient of every parameter.

#include "layers/forward_context.hpp"
#include "lessons/model/page.hpp"
#include "model/transformer.hpp"
#include "trace/checks.hpp"
#include "trace/trace.hpp"
#include "train/gradient_descent.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace tfx {

/// Whether to keep the numbers of the activation of that name.
using Keep = std::function<bool(const std::string& name)>;

/// Bytes that watching an attention takes while it is computed: its scores and weights in the engine, and as
/// they are kept.
inline double watched_bytes(std::size_t heads, double batch, double n) {
  constexpr double at_once = 3;
  return at_once * sizeof(double) * batch * static_cast<double>(heads) * n * n;
}

template <class Real>
class ActivationRecorder : public Observer<Real> {
public:
  /// Statistics of all; the numbers of those that `keep` wants.
  explicit ActivationRecorder(Keep keep) : keep_(std::move(keep)) {}

  bool wants(const std::string&) override { return true; }
  void report(const std::string& name, const StridedView<Real>& value) override;

  const std::vector<ActivationSummary>& activations() const { return activations_; }
  /// The kept ones, in order; `take` leaves none.
  std::vector<std::pair<std::string, Tensor>> take() { return std::move(kept_); }

  /// Of all attention weights: the largest distance of a row's sum from 1, and the fully masked rows, which
  /// see nothing.
  double row_sum_error() const { return row_sum_error_; }
  std::size_t fully_masked_rows() const { return fully_masked_rows_; }

private:
  void add_rows(const Tensor& weights);

  Keep keep_;
  std::vector<ActivationSummary> activations_;
  std::vector<std::pair<std::string, Tensor>> kept_;
  double row_sum_error_ = 0;
  std::size_t fully_masked_rows_ = 0;
};

struct ModelRun {
  std::vector<ActivationSummary> activations; ///< all, in order
  Trace trace;                                ///< the kept ones as steps; checks, facts, cost
  std::optional<Trace> page;                  ///< quick_page: the same run, each step with its operation
};

/// Throws Error(no_memory) where a run of so many tokens would not fit.
template <class Real>
void require_run(const Transformer<Real>& model, const PageTokens& tokens, const Keep& keep);

/// Checks: rows of attention weights and probabilities sum to 1; changing the last token of the target moves
/// no earlier row of log_probs; the walked parameters and the executed multiply-adds equal their closed
/// forms. `pad` is no token that the checks put in.
template <class Real>
ModelRun run_model(const Transformer<Real>& model, const Batch& src, const Batch& tgt, std::uint32_t pad,
                   const Keep& keep);

enum class WithGradient { yes, no };

/// Adds `loss` to the trace (the label-smoothed Kullback-Leibler divergence of a token that is not padding,
/// of which there is one), and with the gradient one d.NAME a parameter. The gradient is checked along one
/// random direction, all parameters at once, by a central difference in double; not of large models, whose
/// check would take long.
template <class Real>
void record_loss(Trace& trace, const Transformer<Real>& model, const TrainingBatch& batch,
                 const Smoothing& smoothing, WithGradient with_gradient, const Keep& keep);

} // namespace tfx
