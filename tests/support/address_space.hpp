#pragma once
// Limits on the memory that is to be had, gone at the end of the scope.

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <new>
#include <stdexcept>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

namespace tfx {

/// On what the process may still take of its address space. What it has freed and keeps is to be had beside
/// that.
class AddressSpaceLimit {
public:
  /// `left`: bytes beyond what the process has now.
  explicit AddressSpaceLimit(std::size_t left) {
    std::size_t memory_pages = 0;
    std::ifstream("/proc/self/statm") >> memory_pages;
    rlimit limit{};
    if (memory_pages == 0 || getrlimit(RLIMIT_AS, &old_) != 0)
      throw std::runtime_error("no size of the process");
    limit = old_;
    limit.rlim_cur = memory_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + left;
    if (setrlimit(RLIMIT_AS, &limit) != 0) throw std::runtime_error("no limit on the address space");
  }
  ~AddressSpaceLimit() { setrlimit(RLIMIT_AS, &old_); }
  AddressSpaceLimit(const AddressSpaceLimit&) = delete;
  AddressSpaceLimit& operator=(const AddressSpaceLimit&) = delete;

private:
  rlimit old_{};
};

/// Takes what the process has freed and keeps, which depends on the tests that ran before: what is to be had
/// is then what an AddressSpaceLimit leaves.
class FreedMemoryTaken {
public:
  FreedMemoryTaken() {
    const AddressSpaceLimit nothing_new(0);
    for (std::size_t size = std::size_t{1} << 28; size >= 256; size /= 2)
      while (void* const block = std::malloc(size)) blocks_ = new (block) Block{blocks_};
  }
  ~FreedMemoryTaken() {
    while (blocks_) std::free(std::exchange(blocks_, blocks_->next));
  }
  FreedMemoryTaken(const FreedMemoryTaken&) = delete;
  FreedMemoryTaken& operator=(const FreedMemoryTaken&) = delete;

private:
  struct Block {
    Block* next;
  };
  Block* blocks_ = nullptr;
};

} // namespace tfx
