#include "trace/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

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

} // namespace tfx
