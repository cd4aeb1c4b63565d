#pragma once
// What a layer norm is made of: mean, variance and standard deviation of each row, and the way back through
// them.

#include "ops/operation.hpp"

namespace tfx::op {

extern const Op row_mean; ///< the mean of each row                                     (…, n, m) → (…, n, 1)
extern const Op
    row_variance; ///< the mean square from the mean, over m                    (…, n, m) → (…, n, 1)
extern const Op row_std; ///< the root of the same over m − 1                          (…, n, m) → (…, n, 1)

extern const Op variance_gradient; ///< 2·(B − mean)·A / m along each row of m cells
extern const Op std_gradient; ///< (B − mean)·A / ((m − 1)·C), of standard deviations C; 0 where C is 0

inline constexpr std::array norms_family = {&row_mean, &row_variance, &row_std, &variance_gradient,
                                            &std_gradient};

} // namespace tfx::op
