#include "core/parallel.hpp"

#include <algorithm>
#include <cassert>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace tfx {

namespace {

thread_local bool inside_a_loop = false;

Slice slice_of(std::size_t n, std::size_t part, std::size_t parts) {
  const std::size_t length = n / parts, longer = n % parts; // the first `longer` slices take one more
  const std::size_t begin = part * length + std::min(part, longer);
  return {begin, begin + length + (part < longer ? 1 : 0)};
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
      workers_.emplace_back([this, part = workers_.size() + 1, seen = loops_] { work(part, seen); });
    {
      const std::lock_guard lock(mutex_);
      job_ = {n, parts, &body};
      pending_ = workers_.size();
      ++loops_;
    }
    start_.notify_all();
    take_slice(0);
    std::unique_lock lock(mutex_);
    done_.wait(lock, [this] { return pending_ == 0; });
    if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
    return true;
  }

private:
  struct Job {
    std::size_t n = 0, parts = 0;
    const std::function<void(Slice)>* body = nullptr; ///< none: go home
  };

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
    for (;;) {
      {
        std::unique_lock lock(mutex_);
        start_.wait(lock, [&] { return loops_ != seen; });
        seen = loops_;
        if (!job_.body) return;
      }
      take_slice(part);
      const std::lock_guard lock(mutex_);
      if (--pending_ == 0) done_.notify_one();
    }
  }

  void dismiss() {
    {
      const std::lock_guard lock(mutex_);
      job_ = {};
      ++loops_;
    }
    start_.notify_all();
    for (std::thread& worker : workers_) worker.join();
    workers_.clear();
  }

  std::mutex loop_;  ///< held by the one loop that runs
  std::mutex mutex_; ///< of what follows
  std::condition_variable start_, done_;
  std::size_t size_ = 1, pending_ = 0;
  std::uint64_t loops_ = 0;
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
