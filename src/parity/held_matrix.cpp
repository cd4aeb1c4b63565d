#include "parity/held_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tfx {

namespace {

double error_of(const NarrowMatrix& narrow, MatrixView<const float> weight, std::size_t row, std::size_t k) {
  return static_cast<double>(narrow(row, k)) - static_cast<double>(weight(k, row));
}

HeldIn errors_in(const NarrowMatrix& narrow, MatrixView<const float> weight) {
  HeldIn held{narrow.type(), narrow.bytes(), 0, 0};
  double squares = 0;
  for (std::size_t row = 0; row < narrow.rows(); ++row)
    for (std::size_t k = 0; k < narrow.depth(); ++k) {
      const double error = error_of(narrow, weight, row, k);
      held.largest_error = std::max(held.largest_error, std::abs(error));
      squares += error * error;
    }
  held.rms_error = std::sqrt(squares / static_cast<double>(narrow.rows() * narrow.depth()));
  return held;
}

void state_row(HeldMatrix& held, const NarrowMatrix& narrow, MatrixView<const float> weight) {
  held.scale = narrow.scale(held.row);
  for (std::size_t k = 0; k < held.depth; ++k)
    held.numbers.push_back({weight(k, held.row), narrow.int8_row(held.row)[k], narrow(held.row, k),
                            error_of(narrow, weight, held.row, k)});
  const auto place = [&](auto size) {
    return static_cast<std::size_t>(std::ranges::max_element(held.numbers, {}, size) - held.numbers.begin());
  };
  held.at_largest = place([](const HeldNumber& one) { return std::abs(one.weight); });
  held.at_worst = place([](const HeldNumber& one) { return std::abs(one.error); });
}

double largest_in_scales(const NarrowMatrix& narrow, MatrixView<const float> weight) {
  double largest = 0;
  for (std::size_t row = 0; row < narrow.rows(); ++row) {
    const double scale = static_cast<double>(narrow.scale(row));
    if (scale < static_cast<double>(std::numeric_limits<float>::min())) continue;
    for (std::size_t k = 0; k < narrow.depth(); ++k)
      largest = std::max(largest, std::abs(error_of(narrow, weight, row, k)) / scale);
  }
  return largest;
}

} // namespace

HeldMatrix held_matrix(const std::vector<float>& weight, std::size_t rows, std::size_t depth,
                       std::size_t row) {
  const MatrixView<const float> columns(weight.data(), depth, rows); // a row of the file is a column here
  HeldMatrix held;
  held.rows = rows, held.depth = depth, held.row = row;
  for (const auto& [word, type] : weight_types()) {
    if (type == WeightType::f32) {
      held.types.push_back({type, weight.size() * sizeof(float), 0, 0});
      continue;
    }
    const NarrowMatrix narrow(columns, type);
    held.types.push_back(errors_in(narrow, columns));
    if (type != WeightType::int8) continue;
    state_row(held, narrow, columns);
    held.largest_in_scales = largest_in_scales(narrow, columns);
  }
  return held;
}

} // namespace tfx
