#pragma once
// Sums: along rows, of parts, onto the shape of a tensor that was repeated, and the mean that gradients are
// of.

#include "ops/operation.hpp"

#include <functional>

namespace tfx {

namespace op {

extern const Op row_sum; ///< the sum of each row                                 (…, n, m) → (…, n, 1)
extern const Op mean;    ///< the mean of every cell; of several inputs, the sum of their means
extern const Op uniform; ///< the constant in as many cells as A has
extern const Op total;   ///< A + B + …, all of one shape
extern const Op
    sum_over; ///< constant · A, or A ⊙ B, summed over the axes that the result has not or has once

inline constexpr std::array sums_family = {&row_sum, &mean, &uniform, &total, &sum_over};

} // namespace op

/// dA where the result moves with A cell by cell: the same cells, or their sum over what was repeated. `sign`
/// is 1 or −1.
Vjp passed_on(const Computed& step, std::size_t i, int sign = 1);

/// d, or d ⊙ factor, summed onto `shape`: "sum(d⊙factor)".
Vjp summed(const std::string& d, const std::string& factor, const Shape& shape, int sign = 1);

/// Every cell of A added to the cell of the result that it falls on, axes aligned at the right; A of fewer
/// cells is repeated.
Tensor sum_onto(const Tensor& A, const Shape& shape);

/// Calls visit(index) for every cell of `shape` that falls on `index` of a result of shape `result`: axes
/// align at the right, and an axis that the result has not or has once is summed over.
void for_each_source(const Shape& shape, const Shape& result, const Index& index,
                     const std::function<void(const Index&)>& visit);

} // namespace tfx
