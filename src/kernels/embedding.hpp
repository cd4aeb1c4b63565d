#pragma once
// The look-up of tokens: column t = column ids[t] of the table, times √d_model, as The Annotated Transformer
// does it.

#include "core/view.hpp"

#include <cstdint>

namespace tfx {

/// y d_model × n, table d_model × vocab, n ids below vocab.
template <class Real>
void embed(MatrixView<Real> y, ConstMatrixView<Real> table, const std::uint32_t* ids);

} // namespace tfx
