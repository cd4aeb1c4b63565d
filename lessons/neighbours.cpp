#include "lessons/neighbours.hpp"

#include <algorithm>
#include <cmath>

namespace tfx {

Neighbours::Neighbours(const Tensor& table, const std::function<bool(std::size_t)>& is_word) : table_(table) {
  for (std::size_t row = 0; row < table.shape[0]; ++row)
    if (is_word(row)) words_.push_back(row);
}

std::vector<Neighbour> Neighbours::of(std::size_t row, std::size_t most) const {
  const std::size_t width = table_.shape[1];
  const double* x = table_.data.data() + row * width;
  std::vector<Neighbour> all;
  for (const std::size_t other : words_) {
    if (other == row) continue;
    const double* y = table_.data.data() + other * width;
    double dot = 0, xx = 0, yy = 0, squares = 0;
    for (std::size_t j = 0; j < width; ++j)
      dot += x[j] * y[j], xx += x[j] * x[j], yy += y[j] * y[j], squares += (x[j] - y[j]) * (x[j] - y[j]);
    const double lengths = std::sqrt(xx) * std::sqrt(yy);
    all.push_back({other, lengths == 0 ? 0 : dot / lengths, std::sqrt(squares), 0});
  }
  std::vector<double> distances;
  for (const Neighbour& one : all) distances.push_back(one.distance);
  std::ranges::sort(distances);
  std::ranges::stable_sort(all, std::greater{}, &Neighbour::cosine);
  all.resize(std::min(all.size(), most));
  for (Neighbour& one : all)
    one.distance_rank =
        static_cast<std::size_t>(std::ranges::lower_bound(distances, one.distance) - distances.begin()) + 1;
  return all;
}

} // namespace tfx
