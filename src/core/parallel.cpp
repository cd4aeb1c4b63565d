#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

namespace tfx {

namespace {

thread_local bool inside_a_loop = false;

/// More than one, so that a thread that is held up leaves something to the others.
constexpr std::size_t slices_a_thread = 4;

Slice slice_of(std::size_t n, std::size_t part, std::size_t parts) {
  const std::size_t length = n / parts, longer = n % parts; // the first `longer` slices take one more
  const std::size_t begin = part * length + std::min(part, longer);
  return {begin, begin + length + (part < longer ? 1 : 0)};
}

/// Whether `done` comes true soon. Waking a thread that sleeps takes 50 µs and more, longer than most loops
/// of a training step last and than what stands between two of them: so a thread looks for a while before it
/// sleeps.
template <class Condition>
bool soon(Condition done) {
  constexpr int looks = 4000; // some 100 µs
  for (int i = 0; i < looks; ++i) {
    if (done()) return true;
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
  }
  return false;
}

/// What is left of a thread's share of a loop, in one number, so that one step takes a slice: the slice
/// behind the last, and the next that nobody has taken.
class Share {
public:
  void fill(Slice slices) {
    left_.store(std::uint64_t{slices.end} << bits | slices.begin, std::memory_order_release);
  }

  std::optional<std::size_t> take() {
    const std::uint64_t mine = left_.fetch_add(1, std::memory_order_acq_rel), next = mine & mask;
    return next < mine >> bits ? std::optional<std::size_t>(next) : std::nullopt;
  }

private:
  static constexpr unsigned bits = 32;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << bits) - 1;

  alignas(64) std::atomic<std::uint64_t> left_{0}; // a line of the cache for each
};

/// Threads that wait between loops. The caller of a loop takes slices like the others, and waits for slices,
/// not for threads: one that wakes up late, or whose processor another program has, is not missed. A thread
/// begins with its own share, then takes what the others have left.
class Team {
public:
  ~Team() { resize(1); }

  std::size_t size() const { return size_; }

  void resize(std::size_t count) {
    const std::lock_guard whole_loop(loop_);
    if (count != size_) {
      dismiss();
      shares_ = std::vector<Share>(count);
    }
    size_ = count;
  }

  /// False where another thread runs a loop.
  bool run(std::size_t n, std::size_t parts, const std::function<void(Slice)>& body) {
    const std::unique_lock whole_loop(loop_, std::try_to_lock);
    if (!whole_loop) return false;
    hire(std::min(parts, size_) - 1);
    job_ = {n, parts, &body};
    finished_.store(0, std::memory_order_relaxed);
    for (std::size_t i = 0; i < size_; ++i) shares_[i].fill(slice_of(parts, i, size_));
    begin();
    take_slices(0);
    const auto done = [&] { return finished_.load(std::memory_order_acquire) == parts; };
    if (!soon(done)) {
      std::unique_lock lock(mutex_);
      done_.wait(lock, done);
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return true;
  }

private:
  /// Read by who holds a slice: until that is finished, it stays.
  struct Job {
    std::size_t n = 0, parts = 0;
    const std::function<void(Slice)>* body = nullptr;
  };

  /// As many workers as the system lets us have: the slices of those that are missing are taken by the
  /// others.
  void hire(std::size_t count) {
    try {
      while (workers_.size() < count)
        workers_.emplace_back([this, seen = loops_.load(), own = workers_.size() + 1] { work(seen, own); });
    } catch (const std::system_error&) { // a limit on processes, or no room for another stack
    }
  }

  void begin() {
    {
      const std::lock_guard lock(mutex_);
      loops_.fetch_add(1, std::memory_order_release);
    }
    start_.notify_all();
  }

  void take_slices(std::size_t own) {
    for (std::size_t i = 0; i < shares_.size(); ++i)
      while (const auto slice = shares_[(own + i) % shares_.size()].take()) run_slice(*slice);
  }

  void run_slice(std::size_t slice) {
    const auto [n, parts, body] = job_;
    inside_a_loop = true;
    try {
      (*body)(slice_of(n, slice, parts));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    inside_a_loop = false;
    if (finished_.fetch_add(1, std::memory_order_acq_rel) + 1 != parts) return;
    const std::lock_guard lock(mutex_); // or the caller could miss it between its look and its sleep
    done_.notify_one();
  }

  void work(std::uint64_t seen, std::size_t own) {
    const auto begun = [&] { return loops_.load(std::memory_order_acquire) != seen; };
    for (;;) {
      if (!soon(begun)) {
        std::unique_lock lock(mutex_);
        start_.wait(lock, begun);
      }
      seen = loops_.load(std::memory_order_acquire);
      if (dismissed_.load(std::memory_order_acquire)) return;
      take_slices(own);
    }
  }

  void dismiss() {
    dismissed_.store(true, std::memory_order_release);
    begin();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
    dismissed_.store(false, std::memory_order_release);
  }

  std::mutex loop_;  ///< held by the one loop that runs
  std::mutex mutex_; ///< of sleeping and waking, and of error_
  std::condition_variable start_, done_;
  std::size_t size_ = 1;
  std::vector<Share> shares_ = std::vector<Share>(1); ///< one a thread, the caller's first
  std::atomic<std::uint64_t> loops_{0};               ///< begun so far
  std::atomic<std::size_t> finished_{0};              ///< slices of this loop
  std::atomic<bool> dismissed_{false};
  Job job_;
  std::exception_ptr error_;
  std::vector<std::thread> workers_;
};

Team& team() {
  static Team one;
  return one;
}

} // namespace

std::size_t processors() {
  // hardware_concurrency() counts the machine's, whatever taskset or a container leaves of them.
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof(allowed), &allowed) == 0)
    return static_cast<std::size_t>(std::max(1, CPU_COUNT(&allowed)));
  return std::max(1u, std::thread::hardware_concurrency());
}

void set_threads(std::size_t count) {
  assert(count > 0);
  team().resize(count);
}

std::size_t threads() {
  return team().size();
}

void parallel_for(std::size_t n, const std::function<void(Slice)>& body, std::size_t grain) {
  if (n == 0) return;
  const std::size_t pieces = std::max<std::size_t>(1, n / std::max<std::size_t>(1, grain));
  const std::size_t parts =
      inside_a_loop || threads() == 1 ? 1 : std::min(threads() * slices_a_thread, pieces);
  if (parts == 1 || !team().run(n, parts, body)) body({0, n});
}

} // namespace tfx
