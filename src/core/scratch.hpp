#pragma once
// Memory that a thread needs again and again: taken once, kept until the thread ends, aligned for vectors
// and, where it is large, on huge memory pages.

#include <cstddef>

namespace tfx {

/// Whose memory it is: what is given for one purpose stays until the same thread asks for it again.
enum class ScratchFor { product, attention };

/// At least `bytes`, with unknown content. Throws std::bad_alloc.
void* scratch(ScratchFor purpose, std::size_t bytes);

template <class Real>
Real* scratch_of(ScratchFor purpose, std::size_t count) {
  return static_cast<Real*>(scratch(purpose, count * sizeof(Real)));
}

} // namespace tfx
