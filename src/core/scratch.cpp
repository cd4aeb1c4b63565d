#include "core/scratch.hpp"

#include <cstdlib>
#include <new>
#include <sys/mman.h>

namespace tfx {

namespace {

constexpr std::size_t cache_line = 64, huge_page = 2 << 20;

class Room {
public:
  Room() = default;
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  ~Room() { std::free(data_); }

  void* at_least(std::size_t bytes) {
    if (bytes <= size_) return data_;
    std::free(data_);
    data_ = nullptr, size_ = 0;
    const std::size_t unit = bytes < huge_page ? cache_line : huge_page,
                      size = (bytes + unit - 1) / unit * unit;
    data_ = std::aligned_alloc(unit, size);
    if (!data_) throw std::bad_alloc();
    size_ = size;
    if (unit == huge_page)
      madvise(data_, size, MADV_HUGEPAGE); // if refused, pages of the usual size do as well
    return data_;
  }

private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

} // namespace

void* scratch(ScratchFor purpose, std::size_t bytes) {
  thread_local Room rooms[2];
  return rooms[static_cast<std::size_t>(purpose)].at_least(bytes);
}

} // namespace tfx
