#pragma once
// Which examples are held out: a matter of what they are about, so that no seed and no batch size changes it.

#include <string_view>

namespace tfx {

/// A key's place in [0, 1), spread evenly over keys: a hash.
double held_out_place(std::string_view key);

/// One key in ten.
bool is_held_out(std::string_view key);

} // namespace tfx
