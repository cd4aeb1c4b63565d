#pragma once
// The engine's activations as a learner meets them: by name, in the order in which they were computed, in
// NumPy's order of axes.

#include "layers/observer.hpp"
#include "trace/statistics.hpp"
#include "trace/trace.hpp"

#include <functional>
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

} // namespace tfx
