#pragma once
// What the checks measure: how far two tensors are apart, what every row or mixture keeps, and the statistics
// of a tensor in a line.

#include "core/tensor.hpp"
#include "trace/trace.hpp"

#include <string>

namespace tfx {

/// Over the cells that are no NaN; of none, all are 0. The standard deviation is the population's.
struct Statistics {
  double mean = 0, deviation = 0, min = 0, max = 0;
  std::size_t nan = 0; ///< how many cells are NaN
};

Statistics statistics_of(const Tensor& tensor);

/// A named tensor whose numbers need not be kept.
struct ActivationSummary {
  std::string name;
  Shape shape;
  Statistics statistics;
};

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
