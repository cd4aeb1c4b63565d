#pragma once
// How layers report their activations: to one observer, by name, as a view of the memory they stand in.
// Nothing is copied; scores and weights of attention are kept only where the observer wants them.

#include "core/tensor.hpp"

#include <string>

namespace tfx {

/// A tensor in the order in which PyTorch would print it, wherever its cells stand.
template <class Real>
struct StridedView {
  const Real* data = nullptr;
  Shape shape;
  Shape strides; ///< in elements, one an axis
};

/// The cells in C order.
template <class Real>
Tensor to_tensor(const StridedView<Real>& view);

template <class Real>
class Observer {
public:
  virtual ~Observer() = default;

  /// Asked before an activation is computed that is not needed otherwise, and before any is reported.
  virtual bool wants(const std::string& name) = 0;

  /// (n, d), (h, n, d_k) or (h, n_q, n_k); with a leading batch axis where there are several sequences of one
  /// length. Of sequences of different lengths, each is reported by a call of its own, in order. The view is
  /// gone afterwards.
  virtual void report(const std::string& name, const StridedView<Real>& value) = 0;
};

} // namespace tfx
