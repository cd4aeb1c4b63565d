#pragma once
// Large counts as a table shows them.

#include <string>

namespace tfx {

/// 12.6e9 → "12.6 G": three digits, in powers of 1000; 640 → "640".
std::string short_count(double count);

} // namespace tfx
