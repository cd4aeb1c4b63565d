#pragma once
// Texts one behind the other.

#include <string>
#include <vector>

namespace tfx {

/// "a, b, c" with ", " as `between`.
inline std::string join(const std::vector<std::string>& parts, const std::string& between = ", ") {
  std::string all;
  for (std::size_t i = 0; i < parts.size(); ++i) all += (i > 0 ? between : "") + parts[i];
  return all;
}

} // namespace tfx
