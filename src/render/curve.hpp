#pragma once
// A run of numbers as a line in the terminal: braille dots, or with `ascii` one star a column.

#include "render/text_block.hpp"

#include <vector>

namespace tfx {

/// Whether such values stand at their logarithms: positive ones that differ by more than 50 times.
bool is_logarithmic(const std::vector<double>& values);

/// The values from left to right, each column the mean of those that fall on it, between the smallest and the
/// largest; both stand at the axis, the first and last position below it. Infinite values and NaN are left
/// out. Empty where nothing is left. `width` counts the axis; positions count from `first`.
TextBlock curve(const std::vector<double>& values, std::size_t first, std::size_t width, std::size_t height,
                const Style& style);

} // namespace tfx
