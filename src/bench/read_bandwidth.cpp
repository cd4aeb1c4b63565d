// What memory delivers to a loop that does next to nothing with it.

#include "bench/limits.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include <sys/mman.h>

namespace tfx::bench {

namespace {

/// Larger than the last cache that two or four cores of any server share, so that reading it once drives out
/// its beginning.
constexpr std::size_t bytes = std::size_t{128} << 20;
constexpr std::size_t huge_page = std::size_t{2} << 20;

/// Eight sums of four numbers, which do not wait for each other.
std::uint64_t sum_of(const std::uint64_t* data, std::size_t count) {
  using Four [[gnu::vector_size(32)]] = std::uint64_t;
  constexpr std::size_t sums = 8, at_once = sums * 4;
  Four s[sums] = {};
  const auto* const vectors = reinterpret_cast<const Four*>(data); // aligned: slices are whole huge pages
  for (std::size_t i = 0; i + at_once <= count; i += at_once)
    for (std::size_t k = 0; k < sums; ++k) s[k] += vectors[i / 4 + k];
  std::uint64_t all = 0;
  for (const Four& one : s) all += one[0] + one[1] + one[2] + one[3];
  return all;
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

} // namespace

double read_bandwidth() {
  if (available_memory() < 2 * bytes) return 0;
  const std::unique_ptr<void, Free> memory(std::aligned_alloc(huge_page, bytes));
  if (!memory) return 0;
  madvise(memory.get(), bytes, MADV_HUGEPAGE); // fewer memory pages to find; refused it only costs a little
  auto* const data = static_cast<std::uint64_t*>(memory.get());
  constexpr std::size_t memory_pages = bytes / huge_page, numbers = huge_page / sizeof *data;
  parallel_for(memory_pages, [&](Slice s) { std::fill_n(data + s.begin * numbers, s.size() * numbers, 1); });
  std::vector<std::uint64_t> sums(memory_pages); // a cell a slice
  double best = 0;
  for (int run = 0; run < 5; ++run) {
    const Stopwatch watch;
    parallel_for(memory_pages,
                 [&](Slice s) { sums[s.begin] = sum_of(data + s.begin * numbers, s.size() * numbers); });
    best = std::max(best, static_cast<double>(bytes) / watch.seconds());
    assert(std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}) == bytes / sizeof *data);
    asm volatile("" : : "g"(sums.data()) : "memory"); // somebody might read them
  }
  return best;
}

} // namespace tfx::bench
