#pragma once
// Memory is asked about before it is taken: a shape that cannot fit is refused with the estimate.

#include <cstddef>
#include <string>

namespace tfx {

/// Bytes this process may still take: the least of free memory, its control group's limit and its
/// address-space limit.
std::size_t available_memory();

/// Throws Error(no_memory) with the estimate where `bytes` exceed the available memory.
void require_memory(std::size_t bytes, const std::string& what);

} // namespace tfx
