#pragma once
// Numbers as bars below each other, on a logarithmic scale: twice as long is the square.

#include "render/style.hpp"

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

} // namespace tfx
