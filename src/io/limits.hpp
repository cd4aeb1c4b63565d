#pragma once
// Limits that several readers share.

#include <cstddef>

namespace tfx {

/// The most axes that an array in a file may have.
constexpr std::size_t max_rank = 8;

/// Bytes from which on a reader asks whether the memory is there before it takes it; asking costs more than
/// taking less.
constexpr std::size_t worth_asking = std::size_t{1} << 24;

} // namespace tfx
