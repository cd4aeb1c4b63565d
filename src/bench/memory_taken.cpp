#include "bench/memory_taken.hpp"

#include <fstream>
#include <string>

#include <malloc.h>

namespace tfx::bench {

namespace {

/// VmRSS or VmHWM, in bytes.
std::size_t status(const std::string& wanted) {
  std::ifstream file("/proc/self/status");
  std::string key, rest;
  while (file >> key) {
    std::size_t kilobytes = 0;
    if (key == wanted && file >> kilobytes) return kilobytes * 1024;
    std::getline(file, rest);
  }
  return 0;
}

/// The high-water mark falls to what is resident now. → false where the system does not allow it.
bool forget_peak() {
  std::ofstream file("/proc/self/clear_refs");
  return static_cast<bool>(file << "5" << std::flush);
}

} // namespace

std::size_t memory_taken(const std::function<void()>& work) {
#ifdef __GLIBC__
  malloc_trim(0); // what is free but kept would hide what is taken
#endif
  const bool counts = forget_peak();
  const std::size_t before = status("VmRSS:");
  work();
  const std::size_t peak = status("VmHWM:");
  return counts && peak > before ? peak - before : 0;
}

} // namespace tfx::bench
