#pragma once
// A limit on what the process may still take of its address space, gone at the end of the scope.

#include <cstddef>
#include <fstream>
#include <stdexcept>

#include <sys/resource.h>
#include <unistd.h>

namespace tfx {

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

} // namespace tfx
