#include "parity/array_statistics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

ArrayStatistics statistics_of(const ArrayFile& file, std::size_t i) {
  ArrayStatistics s;
  s.min = s.max = s.mean = std::numeric_limits<double>::quiet_NaN();
  std::size_t numbers = 0;
  file.each_piece(i, [&](const std::vector<double>& piece) {
    s.cells += piece.size();
    double sum = 0;
    std::size_t of_piece = 0;
    for (const double x : piece) {
      if (std::isnan(x)) {
        ++s.nan;
        continue;
      }
      s.infinite += std::isinf(x);
      s.min = std::fmin(s.min, x), s.max = std::fmax(s.max, x); // of NaN and x, x
      sum += x, ++of_piece;
    }
    if (of_piece == 0) return;
    const double before = numbers == 0 ? 0 : s.mean;
    numbers += of_piece;
    const double share = static_cast<double>(of_piece) / static_cast<double>(numbers);
    s.mean = before * (1 - share) + sum / static_cast<double>(numbers);
  });
  return s;
}

} // namespace tfx
