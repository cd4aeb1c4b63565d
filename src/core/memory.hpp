#pragma once
// Memory is asked about before it is taken: a shape that cannot fit is refused with the estimate. Estimates
// are doubles: the product of absurd sizes is then a large number, where 64 bits would overflow. Scratch
// memory, which a thread needs again and again, is taken once and kept until the thread ends, aligned for
// vectors and, where it is large, on huge memory pages.

#include "core/error.hpp"

#include <cstddef>

namespace tfx {

/// Bytes this process may still take: the least of free memory, its control group's limit and its
/// address-space limit, the latter two without what is already taken of them; and what it has freed and
/// keeps.
std::size_t available_memory();

/// Throws Error(no_memory) with the estimate where `bytes` exceed the available memory.
void require_memory(double bytes, const Message& what);

/// From here on memory that is freed stays with the process: a training takes and frees the same matrices in
/// every step, and each time new memory pages would have to be fetched and cleared (a quarter of a small
/// model's step).
void keep_freed_memory();

/// Whose memory it is: what is given for one purpose stays until the same thread asks for it again.
enum class ScratchFor { product, attention };

/// At least `bytes`, with unknown content. Throws std::bad_alloc.
void* scratch(ScratchFor purpose, std::size_t bytes);

template <class Real>
Real* scratch_of(ScratchFor purpose, std::size_t count) {
  return static_cast<Real*>(scratch(purpose, count * sizeof(Real)));
}

} // namespace tfx
