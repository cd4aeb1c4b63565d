#pragma once
// What the checks measure: how far two tensors are apart, and what every row or mixture keeps.

#include "trace/trace.hpp"

namespace tfx {

/// max |a − b| / max(1, |b|) over all cells; infinite where the shapes differ. NaN equals NaN, ∞ equals ∞.
double relative_difference(const Tensor& a, const Tensor& b);
double relative_difference(const arma::mat& a, const arma::mat& b);

/// max |a − b|.
double absolute_difference(const arma::mat& a, const arma::mat& b);

/// Exact arithmetic would give 0; this is what rounding in double may leave.
inline constexpr double rounding = 1e-12;

/// Rows (0-based, through all batches and heads) that are −∞ throughout: they may see nothing.
std::vector<std::size_t> fully_masked_rows(const Tensor& masked);

/// Rows of the last axis sum to 1: check "rows_sum_to_one". Where rows of "masked" may see nothing, two
/// checks instead: "open_rows_sum_to_one" of the others, and "blocked_rows_sum", that the blocked ones are
/// what --on-masked-row says.
void check_rows_sum_to_one(Trace& trace, const std::string& weights);

/// Every output lies between the smallest and the largest value of its column: check "convex"; "open_convex"
/// where there are rows that may see nothing and mix no values.
void check_convex(Trace& trace, const std::string& weights, const std::string& values,
                  const std::string& output);

/// Where a row of the matrix `in` is exactly the sum of two other rows, state it (fact "sum": "x3 = x1 + x2")
/// and check that the same rows of `out` add up too. Nothing happens where there is no such row, or the
/// matrix is large.
void check_row_sum(Trace& trace, const std::string& in, const std::string& out, const std::string& id);

} // namespace tfx
