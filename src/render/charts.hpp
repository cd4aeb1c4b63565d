#pragma once
// Numbers as pictures made of characters: bars on a logarithmic scale (twice as long is the square), and a
// run of values as a curve of braille dots, or with `ascii` one star a column.

#include "render/style.hpp"
#include "render/text_layout.hpp"

#include <string>
#include <vector>

namespace tfx {

struct Bar {
  std::string name; ///< before the bar
  double value = 0; ///< its length; no bar where it is not positive
  std::string text; ///< behind the bar
};

/// A line each. The smallest value gets a bar of one character, the largest what the width leaves, at most
/// 40; the others by their logarithms between them.
std::vector<std::string> bars(const std::vector<Bar>& all, const Style& style);

/// Whether such values stand at their logarithms: positive ones that differ by more than 50 times.
bool is_logarithmic(const std::vector<double>& values);

/// The values from left to right, each column the mean of those that fall on it, between the smallest and the
/// largest; both stand at the axis, the first and last position below it. Infinite values and NaN are left
/// out. Empty where nothing is left. `width` counts the axis; positions count from `first`.
TextBlock curve(const std::vector<double>& values, std::size_t first, std::size_t width, std::size_t height,
                const Style& style);

} // namespace tfx
