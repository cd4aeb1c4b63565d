#pragma once
// What no finite number is, under names as short as a test's tables need them.

#include <limits>

namespace tfx {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();

} // namespace tfx
