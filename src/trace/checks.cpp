#include "trace/checks.hpp"

#include "core/tensor.hpp"
#include "trace/trace.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

namespace tfx {

Statistics statistics_of(const Tensor& tensor) {
  Statistics all;
  double sum = 0, min = std::numeric_limits<double>::infinity(), max = -min;
  for (const double x : tensor.data) {
    if (std::isnan(x)) {
      ++all.nan;
      continue;
    }
    sum += x;
    min = std::min(min, x);
    max = std::max(max, x);
  }
  const auto count = static_cast<double>(tensor.size() - all.nan);
  if (count == 0) return all;
  all.mean = sum / count;
  double squares = 0; // around the mean: x² − mean² would lose the digits of numbers far from 0
  for (const double x : tensor.data)
    if (!std::isnan(x)) squares += (x - all.mean) * (x - all.mean);
  all.deviation = std::sqrt(squares / count);
  all.min = min;
  all.max = max;
  return all;
}

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double cell_difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::abs(a - b) / std::max(1.0, std::abs(b));
  return std::isnan(difference) ? infinity : difference;
}

double largest_difference(std::span<const double> a, std::span<const double> b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, cell_difference(a[i], b[i]));
  return largest;
}

// Calls found(sum, first, second) for the first row that is the sum of two others, none of them zero.
template <class Found>
void find_sum(const arma::mat& M, Found found) {
  const auto zero = [&](arma::uword i) { return !arma::any(arma::abs(M.row(i)) > 0); };
  for (arma::uword i = 0; i < M.n_rows; ++i)
    for (arma::uword j = i + 1; j < M.n_rows; ++j)
      for (arma::uword k = 0; k < M.n_rows; ++k)
        if (k != i && k != j && !zero(i) && !zero(j) && arma::all(M.row(k) == M.row(i) + M.row(j)))
          return found(k, i, j);
}

} // namespace

double relative_difference(const Tensor& a, const Tensor& b) {
  return a.shape == b.shape ? largest_difference(a.data, b.data) : infinity;
}

double relative_difference(const arma::mat& a, const arma::mat& b) {
  return arma::size(a) == arma::size(b) ? largest_difference(a, b) : infinity;
}

double absolute_difference(const arma::mat& a, const arma::mat& b) {
  return a.n_elem ? arma::mat(arma::abs(a - b)).max() : 0;
}

std::vector<std::size_t> fully_masked_rows(const Tensor& masked) {
  const std::size_t width = masked.shape.back();
  std::vector<std::size_t> rows;
  for (std::size_t row = 0; row < masked.size() / width; ++row) {
    const auto first = masked.data.begin() + static_cast<std::ptrdiff_t>(row * width);
    if (std::all_of(first, first + static_cast<std::ptrdiff_t>(width),
                    [](double x) { return x == -infinity; }))
      rows.push_back(row);
  }
  return rows;
}

void check_rows_sum_to_one(Trace& trace, const std::string& weights) {
  const Tensor& W = trace[weights];
  const std::size_t width = W.shape.back(), rows = W.size() / width;
  const std::vector<std::size_t> blocked =
      trace.has("masked") ? fully_masked_rows(trace["masked"]) : std::vector<std::size_t>{};
  double open_off = 0, masked_off = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (std::size_t j = 0; j < width; ++j) sum += W.data[row * width + j];
    if (std::binary_search(blocked.begin(), blocked.end(), row))
      masked_off =
          std::max(masked_off, cell_difference(sum, std::get<double>(trace.facts.at("blocked_value"))));
    else
      open_off = std::max(open_off, cell_difference(sum, 1));
  }
  const double limit = rounding * static_cast<double>(width);
  if (blocked.empty()) return trace.check_at_most("rows_sum_to_one", open_off, limit);
  if (blocked.size() < rows) {
    trace.facts["open_rows"] = static_cast<double>(rows - blocked.size());
    trace.check_at_most("open_rows_sum_to_one", open_off, limit);
  }
  trace.check_at_most("blocked_rows_sum", masked_off, 0);
}

void check_convex(Trace& trace, const std::string& weights, const std::string& values,
                  const std::string& output) {
  double outside = 0, largest_value = 1;
  const std::size_t blocked = trace.has("masked") ? fully_masked_rows(trace["masked"]).size() : 0;
  if (blocked * trace[weights].shape.back() == trace[weights].size()) return; // no row mixes anything
  for_each_matrix(trace[weights], trace[values], trace[output],
                  [&](const arma::mat& w, const arma::mat& V, const arma::mat& out) {
                    for (arma::uword i = 0; i < out.n_rows; ++i) {
                      if (!(arma::accu(w.row(i)) > 0)) continue;
                      const arma::mat seen = V.rows(arma::find(w.row(i) > 0));
                      const arma::rowvec low = arma::min(seen, 0), high = arma::max(seen, 0);
                      outside = std::max({outside, arma::rowvec(low - out.row(i)).max(),
                                          arma::rowvec(out.row(i) - high).max()});
                      largest_value = std::max(largest_value, arma::abs(seen).max());
                    }
                    return out;
                  });
  trace.check_at_most(blocked ? "open_convex" : "convex", outside, rounding * largest_value);
}

void check_row_sum(Trace& t, const std::string& in, const std::string& out, const std::string& id) {
  constexpr std::size_t small = 16;
  if (t[in].rank() != 2 || t[in].shape[0] > small) return;
  find_sum(matrix(t[in]), [&](arma::uword sum, arma::uword first, arma::uword second) {
    t.facts["sum"] =
        row_label(t, in, sum) + " = " + row_label(t, in, first) + " + " + row_label(t, in, second);
    const arma::mat M = matrix(t[out]);
    t.check_at_most(id, relative_difference(M.row(sum), M.row(first) + M.row(second)), rounding);
  });
}

} // namespace tfx
