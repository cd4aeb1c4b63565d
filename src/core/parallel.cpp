#include "core/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <sched.h>

namespace tfx {

namespace {

thread_local bool inside_a_loop = false;

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

/// Threads that wait between loops. The caller of a loop takes its first slice itself.
class Team {
public:
  ~Team() { resize(1); }

  std::size_t size() const { return size_; }

  void resize(std::size_t count) {
    const std::lock_guard whole_loop(loop_);
    if (count < size_) dismiss();
    size_ = count;
  }

  /// False where another thread runs a loop.
  bool run(std::size_t n, std::size_t parts, const std::function<void(Slice)>& body) {
    const std::unique_lock whole_loop(loop_, std::try_to_lock);
    if (!whole_loop) return false;
    while (workers_.size() + 1 < parts)
      workers_.emplace_back([this, part = workers_.size() + 1, seen = loops_.load()] { work(part, seen); });
    begin({n, parts, &body});
    take_slice(0);
    const auto done = [this] { return pending_.load(std::memory_order_acquire) == 0; };
    if (!soon(done)) {
      std::unique_lock lock(mutex_);
      done_.wait(lock, done);
    }
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return true;
  }

private:
  struct Job {
    std::size_t n = 0, parts = 0;
    const std::function<void(Slice)>* body = nullptr; ///< none: go home
  };

  /// What the workers read is written before `loops_`, by which they see that there is something to read.
  void begin(const Job& job) {
    job_ = job;
    pending_.store(workers_.size(), std::memory_order_relaxed);
    {
      const std::lock_guard lock(mutex_);
      loops_.fetch_add(1, std::memory_order_release);
    }
    start_.notify_all();
  }

  void take_slice(std::size_t part) {
    if (part >= job_.parts) return;
    inside_a_loop = true;
    try {
      (*job_.body)(slice_of(job_.n, part, job_.parts));
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    inside_a_loop = false;
  }

  void work(std::size_t part, std::uint64_t seen) {
    const auto begun = [&] { return loops_.load(std::memory_order_acquire) != seen; };
    for (;;) {
      if (!soon(begun)) {
        std::unique_lock lock(mutex_);
        start_.wait(lock, begun);
      }
      ++seen;
      if (!job_.body) return;
      take_slice(part);
      if (pending_.fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
      const std::lock_guard lock(mutex_); // or the caller could miss it between its look and its sleep
      done_.notify_one();
    }
  }

  void dismiss() {
    begin({});
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  std::mutex loop_;  ///< held by the one loop that runs
  std::mutex mutex_; ///< of sleeping and waking, and of error_
  std::condition_variable start_, done_;
  std::size_t size_ = 1;
  std::atomic<std::size_t> pending_{0}; ///< workers that have not finished this loop
  std::atomic<std::uint64_t> loops_{0}; ///< begun so far
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
  const std::size_t most = inside_a_loop ? 1 : threads();
  const std::size_t parts = std::min(most, std::max<std::size_t>(1, n / std::max<std::size_t>(1, grain)));
  if (parts == 1 || !team().run(n, parts, body)) body({0, n});
}

} // namespace tfx
