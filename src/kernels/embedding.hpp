#pragma once
// The look-up of tokens: column t of the result is column ids[t] of the table times `scale`, √d_model in The
// Annotated Transformer.

#include "core/view.hpp"

#include <cstdint>

namespace tfx {

/// y d_model × n, table d_model × vocab, n ids below vocab.
template <class Real>
void embed(MatrixView<Real> y, ConstMatrixView<Real> table, const std::uint32_t* ids,
           std::type_identity_t<Real> scale);

/// Backward: column ids[t] of d_table += dy's column t, times `scale`. A token that occurs twice adds up.
/// Threads share the rows.
template <class Real>
void embed_backward(MatrixView<Real> d_table, ConstMatrixView<Real> dy, const std::uint32_t* ids,
                    std::type_identity_t<Real> scale);

} // namespace tfx
