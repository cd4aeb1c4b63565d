#include "core/parallel.hpp"

#include "support/address_space.hpp"
#include "support/catch.hpp"
#include "support/engine.hpp"

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include <sched.h>

using namespace tfx;

namespace {

/// The slices of a loop, by their beginnings.
std::vector<Slice> slices_of(std::size_t n, std::size_t grain = 1) {
  std::vector<Slice> slices;
  std::mutex mutex;
  parallel_for(
      n,
      [&](Slice slice) {
        const std::lock_guard lock(mutex);
        slices.push_back(slice);
      },
      grain);
  std::sort(slices.begin(), slices.end(), [](Slice a, Slice b) { return a.begin < b.begin; });
  return slices;
}

} // namespace

TEST_CASE("the slices of a loop are 0 to n without a gap, their sizes differ by at most one", "[parallel]") {
  for (std::size_t count : {1, 2, 3, 7}) {
    const ThreadCount these(count);
    for (std::size_t n : {0, 1, 2, 3, 5, 7, 8, 100, 101}) {
      const std::vector<Slice> slices = slices_of(n);
      CHECK(slices.size() >= std::min(count, n)); // something for every thread
      CHECK(slices.size() <= std::max(count * 4, std::min<std::size_t>(1, n)));
      std::size_t expected = 0;
      for (const Slice& slice : slices) {
        CHECK(slice.begin == expected);
        const std::size_t min_size = n / slices.size();
        CHECK((slice.size() == min_size || slice.size() == min_size + 1));
        expected = slice.end;
      }
      CHECK(expected == n);
    }
  }
}

TEST_CASE("no slice is shorter than the grain, unless the loop is", "[parallel]") {
  const ThreadCount four(4);
  CHECK(slices_of(10, 4).size() == 2);
  CHECK(slices_of(10, 5).size() == 2);
  CHECK(slices_of(10, 6).size() == 1);
  CHECK(slices_of(3, 100).size() == 1);
  CHECK(slices_of(1000, 250).size() == 4);
}

TEST_CASE("one thread is the caller; two are two", "[parallel]") {
  const auto here = std::this_thread::get_id();
  parallel_for(100, [&](Slice) { CHECK(std::this_thread::get_id() == here); });
  const ThreadCount two(2);
  std::thread::id of_slice[2];
  for (int again = 0; again < 200; ++again) {
    std::atomic<int> begun{0};
    parallel_for(2, [&](Slice slice) {
      of_slice[slice.begin] = std::this_thread::get_id();
      ++begun;
      while (begun < 2) std::this_thread::yield(); // both at the same time, or never an end
    });
    REQUIRE(of_slice[0] != of_slice[1]);
    REQUIRE((of_slice[0] == here || of_slice[1] == here));
  }
}

TEST_CASE("many short loops lose no slice, and a thread that is held up holds up its slice alone",
          "[parallel]") {
  const ThreadCount three(3);
  for (int again = 0; again < 20000; ++again) {
    std::atomic<std::size_t> sum{0};
    const std::size_t n = 1 + again % 40;
    parallel_for(n, [&](Slice slice) {
      for (std::size_t i = slice.begin; i < slice.end; ++i) sum += i + 1;
    });
    REQUIRE(sum == n * (n + 1) / 2);
  }
  std::atomic<int> others{0};
  parallel_for(12, [&](Slice slice) {
    if (slice.begin > 0)
      ++others;
    else
      while (others < 11) std::this_thread::yield();
  });
  CHECK(others == 11);
}

TEST_CASE("each thread begins with the same part of every loop", "[parallel]") {
  const ThreadCount two(2);
  int halves = 0;
  for (int again = 0; again < 200; ++again) {
    std::atomic<int> begun{0};
    std::size_t first[2] = {};
    parallel_for(8, [&](Slice slice) {
      if (const int place = begun++; place < 2) first[place] = slice.begin;
      while (begun < 2) std::this_thread::yield(); // so that the two first are two threads'
    });
    halves += std::min(first[0], first[1]) == 0 && std::max(first[0], first[1]) == 4;
  }
  CHECK(halves > 100); // a thread that has just ended a loop may take what is the other's of the next
}

TEST_CASE("a loop inside a loop runs whole on its thread", "[parallel]") {
  const ThreadCount two(2);
  std::atomic<int> inner{0};
  parallel_for(2, [&](Slice) {
    const auto outer = std::this_thread::get_id();
    parallel_for(50, [&](Slice slice) {
      if (slice.size() == 50 && std::this_thread::get_id() == outer) ++inner;
    });
  });
  CHECK(inner == 2);
}

TEST_CASE("an exception in any slice reaches the caller, and the next loop runs", "[parallel]") {
  const ThreadCount three(3);
  for (std::size_t bad : {0, 1, 2}) {
    const auto body = [&](Slice slice) {
      if (slice.begin == bad) throw std::runtime_error("slice " + std::to_string(bad));
    };
    CHECK_THROWS_WITH(parallel_for(3, body), "slice " + std::to_string(bad));
    CHECK(slices_of(3).size() == 3);
  }
}

TEST_CASE("two threads may start loops at once", "[parallel]") {
  const ThreadCount two(2);
  std::atomic<std::size_t> sum{0};
  const auto add_all = [&] {
    for (int again = 0; again < 300; ++again) parallel_for(10, [&](Slice slice) { sum += slice.size(); });
  };
  std::thread other(add_all);
  add_all();
  other.join();
  CHECK(sum == 6000);
}

TEST_CASE("the number of threads can change between loops", "[parallel]") {
  for (std::size_t count : {3, 1, 2, 5, 2}) {
    const ThreadCount these(count);
    CHECK(threads() == count);
    CHECK(slices_of(100).size() >= count);
  }
  CHECK(threads() == 1);
}

#ifdef NDEBUG // a sanitizer ends the process where memory is refused
TEST_CASE("a loop runs with the threads that the system lets it have", "[parallel]") {
  set_threads(1);
  const AddressSpaceLimit limit(1 << 20); // no room for another stack
  set_threads(3);
  std::atomic<std::size_t> sum = 0;
  parallel_for(1000, [&](Slice slice) { sum += slice.end - slice.begin; });
  set_threads(1);
  CHECK(sum == 1000);
}
#endif

TEST_CASE("a thread that is bound to one processor may use one", "[parallel]") {
  std::size_t counted = 0;
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(sched_getcpu()), &one);
    if (sched_setaffinity(0, sizeof(one), &one) == 0) counted = processors();
  }).join();
  CHECK(counted == 1);
}
