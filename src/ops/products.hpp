#pragma once
// Products of matrices: projections, scores, mixtures, and the gradients of weights.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op matmul;            ///< A·B, or A·B + b with a third input b (a row added to every row)
extern const Op matmul_transposed; ///< A·Bᵀ, or A·Bᵀ + b with a third input b: torch.nn.Linear
/// A·B of weights A: a weight of 0 reads nothing, so NaN or ∞ in B does not matter there
extern const Op weighted_sum;
extern const Op transposed_matmul; ///< Aᵀ·B, summed over the leading axes that the result has not

inline constexpr std::array products_family = {&matmul, &matmul_transposed, &weighted_sum,
                                               &transposed_matmul};

} // namespace tfx::op
