#pragma once
// Vectors of tokens, a token a column, and the sequences they belong to.

#include "layers/sequences.hpp"
#include "layers/storage.hpp"

namespace tfx {

template <class Real>
struct Tokens {
  const arma::Mat<Real>& values; ///< d × tokens
  const Sequences& sequences;
};

/// The residual stream: every sublayer adds to it; backward, its gradient runs the other way.
template <class Real>
struct ResidualStream {
  arma::Mat<Real>& values; ///< d_model × tokens
  const Sequences& sequences;
};

} // namespace tfx
