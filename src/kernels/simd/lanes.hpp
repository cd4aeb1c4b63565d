#pragma once
// What the kernel files of every instruction set need of the compiler.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace tfx {

/// body(0) … body(count − 1) as straight code, each index a constant: arrays that the body indexes live in
/// registers.
template <std::size_t count, class Body>
[[gnu::always_inline]] inline void unrolled(const Body& body) {
  [&]<std::size_t... i>(std::index_sequence<i...>) __attribute__((always_inline)) {
    (body(std::integral_constant<std::size_t, i>()), ...);
  }
  (std::make_index_sequence<count>());
}

} // namespace tfx
