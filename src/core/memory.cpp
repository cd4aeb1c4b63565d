#include "core/memory.hpp"

#include "core/control_group.hpp"
#include "core/error.hpp"
#include "core/number.hpp"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <malloc.h>
#include <new>
#include <pthread.h>

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

namespace tfx {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

std::size_t number_in(const char* path) {
  std::ifstream file(path);
  std::size_t value = 0;
  return file >> value ? value : unlimited; // "max" is no number: no limit
}

std::size_t free_memory() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (std::size_t kilobytes = 0; file >> key >> kilobytes; std::getline(file, unit))
    if (key == "MemAvailable:") return kilobytes * 1024;
  return unlimited;
}

/// The address space that this process has taken: its program, its libraries and its data.
std::size_t address_space_used() {
  const std::size_t memory_pages = number_in("/proc/self/statm"); // its first number is the size in pages
  return memory_pages == unlimited ? 0 : memory_pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

/// What this process has freed and keeps: it is taken from the system, and still to be had.
std::size_t kept_memory() {
#ifdef __GLIBC__
  return mallinfo2().fordblks;
#else
  return 0;
#endif
}

} // namespace

std::size_t available_memory() {
  std::size_t available = free_memory();
  if (const auto left = memory_left(text_of_file); left && *left < static_cast<double>(available))
    available = static_cast<std::size_t>(*left);
  rlimit limit{};
  if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    const std::size_t max_bytes = limit.rlim_cur, used = address_space_used();
    available = std::min(available, max_bytes - std::min(max_bytes, used));
  }
  return available == unlimited ? available : available + kept_memory();
}

void require_memory(double bytes, const Message& what) {
  constexpr double most_beside = 8e6; // names, words and text, which no estimate counts
  const double needed = bytes + std::min(bytes / 10, most_beside);
  const auto available = static_cast<double>(available_memory());
  if (needed <= available) return;
  throw Error(ErrorKind::no_memory,
              said("{what} needs about {bytes} of memory; {free} are free",
                   {{"what", what}, {"bytes", format_bytes(needed)}, {"free", format_bytes(available)}}),
              said("use smaller sizes"));
}

void keep_freed_memory() {
#ifdef __GLIBC__
  constexpr int max_threshold = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, max_threshold);
  mallopt(M_TRIM_THRESHOLD, max_threshold);
#endif
}

namespace {

constexpr std::size_t cache_line = 64, huge_page = 2 << 20;

struct Room {
  void* data;
  std::size_t size;
};

struct Rooms {
  Room of_purpose[2];
};

void free_rooms(void* rooms) {
  for (Room& room : static_cast<Rooms*>(rooms)->of_purpose) {
    std::free(room.data);
    room = {};
  }
}

/// A destructor of a thread_local would do it too, but glibc notes each in memory of its own, and ends the
/// process where there is none.
void free_when_thread_ends(Rooms& rooms) {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (pthread_key_create(&made, free_rooms) != 0) throw std::bad_alloc();
    return made;
  }();
  if (pthread_setspecific(key, &rooms) != 0) throw std::bad_alloc();
}

void enlarge(Room& room, std::size_t bytes) {
  std::free(room.data);
  room = {};
  const std::size_t unit = bytes < huge_page ? cache_line : huge_page,
                    size = (bytes + unit - 1) / unit * unit;
  room.data = std::aligned_alloc(unit, size);
  if (!room.data) throw std::bad_alloc();
  room.size = size;
  if (unit == huge_page)
    madvise(room.data, size, MADV_HUGEPAGE); // if refused, pages of the usual size do as well
}

thread_local constinit Rooms rooms{};

} // namespace

void* scratch(ScratchFor purpose, std::size_t bytes) {
  Room& room = rooms.of_purpose[static_cast<std::size_t>(purpose)];
  if (bytes > room.size) {
    free_when_thread_ends(rooms);
    enlarge(room, bytes);
  }
  return room.data;
}

} // namespace tfx
