#pragma once
// Masks: 1 may be seen, 0 may not.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op causal_mask;             ///< 1 where column ≤ row, as large as the last two axes of A
extern const Op causal_mask_lower_right; ///< 1 where column ≤ row + n_k − n_q: the last row sees all
extern const Op
    padding_mask;     ///< 1 in all but the last `constant` columns, as large as the last two axes of A
extern const Op both; ///< 1 where every input is 1, repeated to a shape where one is asked for
extern const Op
    mask_fill; ///< A where the mask B is 1, −∞ where it is 0; B may be repeated over batch and heads
extern const Op mask_keep; ///< A where the mask B is 1, 0 where it is 0: the way back through mask_fill

inline constexpr std::array masks_family = {
    &causal_mask, &causal_mask_lower_right, &padding_mask, &both, &mask_fill, &mask_keep};

} // namespace tfx::op
