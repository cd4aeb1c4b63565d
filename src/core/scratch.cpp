#include "core/scratch.hpp"

#include <cstdlib>
#include <new>

#include <pthread.h>
#include <sys/mman.h>

namespace tfx {

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
