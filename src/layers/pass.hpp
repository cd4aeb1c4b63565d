#pragma once
// What a forward pass carries from layer to layer beside the numbers: who watches, whether it is training,
// and the name of the place.

#include "layers/observer.hpp"
#include "layers/sequences.hpp"
#include "layers/tokens.hpp"

#include <cstdint>
#include <string>

namespace tfx {

/// Dropout is drawn from the stream (seed, name of the place, step).
struct Training {
  std::uint64_t seed = 0, step = 0;
  double dropout = 0.1; ///< in [0, 1)
};

template <class Real>
struct Pass {
  Observer<Real>* observer = nullptr; ///< none: nobody watches
  const Training* training = nullptr; ///< none: prediction, which draws nothing
  std::string name = {};              ///< "encoder.layers.0.self_attn"

  /// The same for a part of this place.
  Pass inside(const std::string& part) const;

  /// Whether somebody wants the activation `part` of this place.
  bool wants(const std::string& part) const;
};

/// Tokens in columns (d × tokens), reported as (batch, n, d).
template <class Real>
void report(const Pass<Real>& pass, const std::string& part, const arma::Mat<Real>& tokens,
            const Sequences& sequences);

/// The same, cut into heads: (batch, h, n, d/h).
template <class Real>
void report_heads(const Pass<Real>& pass, const std::string& part, const arma::Mat<Real>& tokens,
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
void report(const Pass<Real>& pass, const std::string& part, const arma::Col<Real>& cells,
            const Pairs<Real>& pairs);

/// Whether the pass has dropout: a training one, with a rate above 0.
template <class Real>
bool drops(const Pass<Real>& pass) {
  return pass.training && pass.training->dropout > 0;
}

/// y = dropped x, at the place `pass.name`; x itself where the pass has no dropout. y may be x.
template <class Real>
void drop(const Pass<Real>& pass, arma::Mat<Real>& y, const arma::Mat<Real>& x);
template <class Real>
void drop(const Pass<Real>& pass, arma::Mat<Real>& x) {
  if (drops(pass)) drop(pass, x, x);
}

/// y = base + dropped x: the residual. y may be base or x.
template <class Real>
void add_dropped(const Pass<Real>& pass, arma::Mat<Real>& y, const arma::Mat<Real>& base,
                 const arma::Mat<Real>& x);

} // namespace tfx
