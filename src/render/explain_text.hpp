#pragma once
// An explanation on the screen: the cell's formula, its arithmetic, its value, and below it the cells it
// read.

#include "render/style.hpp"
#include "trace/explain.hpp"

#include <string>

namespace tfx {

/// `most` terms of a long sum are written out.
std::string render_explanation(const Explanation& explanation, std::size_t most, const Style& style);

} // namespace tfx
