#pragma once
// How much memory a piece of work takes while it runs.

#include <cstddef>
#include <functional>

namespace tfx::bench {

/// The most bytes that were resident while `work` ran, less those before: as Linux counts, in whole memory
/// pages.
/// Memory that an earlier run has kept is not taken again and not counted. 0 where the system does not count.
std::size_t memory_taken(const std::function<void()>& work);

} // namespace tfx::bench
