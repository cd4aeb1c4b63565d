#pragma once
// Pictures as SVG: attention weights as a heat map, and numbers as a line between two axes. Every square and
// point says its value where the pointer or the keyboard stands on it.

#include "render/html/cell_book.hpp"
#include "render/html/html.hpp"
#include "render/style.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Matrix `slice` of a step of weights. Its squares are cells of the book where `book` is given.
Html heat_map(const Step& step, std::size_t slice, const Style& style, CellBook* book);

/// Values at `first` and the numbers behind it from left to right; many of them as the means of equal pieces.
/// Values that differ by more than 50 times stand at their logarithms. `name` is what a screen reader calls
/// it. Infinite values and NaN are left out; nothing where less than two are left.
Html line_chart(const std::vector<double>& values, const std::string& name, const Style& style,
                std::size_t first = 1);

} // namespace tfx
