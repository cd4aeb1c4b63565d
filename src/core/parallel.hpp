#pragma once
// Threads. A loop is cut into contiguous slices that depend on nothing but its length and the number of
// threads. Each thread begins with the same part of every loop, whose numbers its cache still has; which
// slices it takes after that is not fixed. A body must do the same for a position whatever slice it is in:
// then results are equal bit for bit, whatever the number of threads.

#include <cstddef>
#include <functional>

namespace tfx {

/// Processors that this process may use, at least 1.
std::size_t processors();

/// Threads of parallel_for from here on, at least 1. They start when a loop first needs them: with 1, never.
/// Not while a loop runs.
void set_threads(std::size_t count);

/// What set_threads was given; 1 before.
std::size_t threads();

/// Positions begin … end − 1 of a loop.
struct Slice {
  std::size_t begin = 0, end = 0;

  std::size_t size() const { return end - begin; }
};

/// `body` on slices that together are 0 … n − 1: some for each thread, none shorter than `grain` unless the
/// loop is. Returns when all are done. Inside a body, and while another thread runs a loop, the whole loop is
/// one slice on the calling thread. The first exception that a body throws is thrown again here.
void parallel_for(std::size_t n, const std::function<void(Slice)>& body, std::size_t grain = 1);

} // namespace tfx
