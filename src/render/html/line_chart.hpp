#pragma once
// Numbers as a line between two axes, each point with its value where the pointer or the keyboard stands on
// it.

#include "render/html/html.hpp"
#include "render/style.hpp"

#include <string>
#include <vector>

namespace tfx {

/// Values at 1, 2, … from left to right; many of them as the means of equal pieces. Values that differ by
/// more than 50 times stand at their logarithms. `name` is what a screen reader calls it. Infinite values and
/// NaN are left out; nothing where less than two are left.
Html line_chart(const std::vector<double>& values, const std::string& name, const Style& style);

} // namespace tfx
