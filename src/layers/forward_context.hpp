#pragma once
// What a pass carries from layer to layer besides the activations: who observes them, whether this is
// training, the name of the layer, and who wants to know how long it took. Layers report their activations to
// one observer, by name, as a view of the memory they stand in. Nothing is copied; scores and weights of
// attention are kept only where the observer wants them.

#include "core/stopwatch.hpp"
#include "core/tensor.hpp"
#include "layers/tokens.hpp"

#include <cstdint>
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

/// Dropout is drawn from the random stream (seed, name of the layer, step).
struct TrainingMode {
  std::uint64_t seed = 0, step = 0;
  double dropout = 0.1; ///< in [0, 1)
};

template <class Real>
struct ForwardContext {
  Observer<Real>* observer = nullptr;     ///< nullptr: nobody observes
  const TrainingMode* training = nullptr; ///< nullptr: inference, which drops nothing
  std::string name = {};                  ///< "encoder.layers.0.self_attn"
  ModuleTimes* times = nullptr;           ///< nullptr: nobody measures

  /// The same for a part of this layer: "encoder.layers.0" and "self_attn" give the name above.
  ForwardContext inside(const std::string& part) const;

  /// Whether the observer wants the activation `part` of this layer.
  bool wants(const std::string& part) const;

  /// What was computed since the last mark was this layer's, in this pass.
  void mark(Pass pass) const {
    if (times) times->mark(name, pass);
  }
};

/// Tokens in columns (d × tokens), reported as (batch, n, d).
template <class Real>
void report(const ForwardContext<Real>& context, const std::string& part, const arma::Mat<Real>& tokens,
            const Sequences& sequences);

/// The same, cut into heads: (batch, h, n, d/h).
template <class Real>
void report_heads(const ForwardContext<Real>& context, const std::string& part, const arma::Mat<Real>& tokens,
                  const Sequences& sequences, std::size_t heads);

/// A number for every head, query and key: the cells of sequence after sequence, each (h, n_q, n_k) in C
/// order.
template <class Real>
struct Pairs {
  const Sequences& queries;
  const Sequences& keys;
  std::size_t heads;

  /// Where head h of sequence s starts.
  std::size_t offset(std::size_t s, std::size_t h) const;
  std::size_t size() const { return offset(queries.count(), 0); }
};

template <class Real>
void report(const ForwardContext<Real>& context, const std::string& part, const arma::Col<Real>& cells,
            const Pairs<Real>& pairs);

/// Whether dropout applies: in training, with a rate above 0.
template <class Real>
bool drops(const ForwardContext<Real>& context) {
  return context.training && context.training->dropout > 0;
}

/// y = dropped x, of the layer `context.name`; x itself where no dropout applies. y may be x.
template <class Real>
void drop(const ForwardContext<Real>& context, arma::Mat<Real>& y, const arma::Mat<Real>& x);
template <class Real>
void drop(const ForwardContext<Real>& context, arma::Mat<Real>& x) {
  if (drops(context)) drop(context, x, x);
}

/// y = base + dropped x: the residual. y may be base or x.
template <class Real>
void add_dropped(const ForwardContext<Real>& context, arma::Mat<Real>& y, const arma::Mat<Real>& base,
                 const arma::Mat<Real>& x);

} // namespace tfx
