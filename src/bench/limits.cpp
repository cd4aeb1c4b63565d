#include "bench/limits.hpp"

#include "core/isa.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/stopwatch.hpp"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <vector>

#include <sys/mman.h>

namespace tfx::bench {

// The peak of fused multiply-adds. One loop, compiled for every set of vectors; which runs is decided here.

namespace {

/// Sums that do not wait for each other: a CPU starts two FMAs a cycle and each takes four or five, so at
/// least ten must be under way. They and the two factors fit into the 16 registers that AVX2 has.
constexpr std::size_t sums = 12;

template <std::size_t lanes>
using Vector [[gnu::vector_size(lanes * sizeof(float))]] = float;

/// → a number that depends on every operation, so that none can be left out. `factor` and `term` are not
/// known to the compiler: s·factor + term stays near 1.
template <std::size_t lanes>
[[gnu::always_inline]] inline float multiply_and_add(std::size_t rounds, float factor, float term) {
  const Vector<lanes> m = Vector<lanes>{} + factor, a = Vector<lanes>{} + term;
  Vector<lanes> s[sums];
  for (std::size_t i = 0; i < sums; ++i) s[i] = Vector<lanes>{} + static_cast<float>(i);
  for (std::size_t round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < sums; ++i) s[i] = s[i] * m + a;
  Vector<lanes> all{};
  for (std::size_t i = 0; i < sums; ++i) all += s[i];
  float sum = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) sum += all[lane];
  return sum;
}

/// Makes the compiler believe that somebody reads them.
void keep(const std::vector<float>& results) {
  asm volatile("" : : "g"(results.data()) : "memory");
}

/// A loop and how many floats it takes at a time.
struct Loop {
  float (*run)(std::size_t rounds, float factor, float term);
  std::size_t lanes;
};

float baseline(std::size_t rounds, float factor, float term) {
  return multiply_and_add<4>(rounds, factor, term);
}

#if defined(__x86_64__)
[[gnu::target("avx2,fma")]] float avx2(std::size_t rounds, float factor, float term) {
  return multiply_and_add<8>(rounds, factor, term);
}

[[gnu::target("avx512f")]] float avx512(std::size_t rounds, float factor, float term) {
  return multiply_and_add<16>(rounds, factor, term);
}

#endif

Loop widest() {
  switch (widest_isa()) {
#if defined(__x86_64__)
  case Isa::avx512: return {avx512, 16};
  case Isa::avx2: return {avx2, 8};
#endif
  default: return {baseline, 4};
  }
}

} // namespace

double fma_peak() {
  const Loop loop = widest();
  constexpr std::size_t rounds = 400'000; // some 1 to 3 ms
  volatile float factor = 0.999F, term = 0.001F;
  std::vector<float> results(threads());
  const double flops = 2.0 * static_cast<double>(threads() * rounds * sums * loop.lanes);
  double best = 0;
  const Stopwatch all;
  for (int run = 0; run < 30 && (run < 3 || all.seconds() < 0.05); ++run) {
    const Stopwatch watch;
    parallel_for(results.size(), [&, m = float{factor}, a = float{term}](Slice slice) {
      for (std::size_t i = slice.begin; i < slice.end; ++i) results[i] = loop.run(rounds, m, a);
    });
    best = std::max(best, flops / watch.seconds());
    keep(results);
  }
  return best;
}

// What memory delivers to a loop that does next to nothing with it.

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

MachineLimits measure_limits() {
  return {fma_peak(), read_bandwidth()};
}

MachineLimits better(const MachineLimits& before, const MachineLimits& after) {
  return {std::max(before.flops, after.flops), std::max(before.bytes, after.bytes)};
}

} // namespace tfx::bench
