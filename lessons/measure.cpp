#include "lessons/measure.hpp"

#include "core/broadcast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double cell_difference(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double difference = std::abs(a - b) / std::max(1.0, std::abs(b));
  return std::isnan(difference) ? infinity : difference;
}

} // namespace

double relative_difference(const Tensor& a, const Tensor& b) {
  if (a.shape != b.shape) return infinity;
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    largest = std::max(largest, cell_difference(a.data[i], b.data[i]));
  return largest;
}

double relative_difference(const arma::mat& a, const arma::mat& b) {
  return relative_difference(to_tensor(a), to_tensor(b));
}

double absolute_difference(const arma::mat& a, const arma::mat& b) {
  return a.n_elem ? arma::mat(arma::abs(a - b)).max() : 0;
}

void check_rows_sum_to_one(Trace& trace, const std::string& weights) {
  const Tensor& W = trace[weights];
  const std::size_t width = W.shape.back();
  double largest = 0;
  for (std::size_t row = 0; row < W.size() / width; ++row) {
    double sum = 0;
    for (std::size_t j = 0; j < width; ++j) sum += W.data[row * width + j];
    if (sum == 0 || std::isnan(sum)) continue; // nothing to see
    largest = std::max(largest, std::abs(sum - 1));
  }
  trace.check_at_most("rows_sum_to_one", largest, rounding * static_cast<double>(width));
}

void check_convex(Trace& trace, const std::string& weights, const std::string& values,
                  const std::string& output) {
  double outside = 0, largest_value = 1;
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
  trace.check_at_most("convex", outside, rounding * largest_value);
}

} // namespace tfx
