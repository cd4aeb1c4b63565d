#include "io/temp_file.hpp"

#include <cerrno>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace tfx {

namespace {

/// Whether a file was there that nobody holds, and is now gone.
bool remove_abandoned(const std::string& path) {
  const Descriptor file = open_file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  return file.is_open() && ::flock(file.number(), LOCK_EX | LOCK_NB) == 0 && file.is_named(path) &&
         ::unlink(path.c_str()) == 0;
}

} // namespace

TempFile::TempFile(const std::string& folder, mode_t mode) {
  constexpr int names = 1000, tries = 3;
  for (int i = 0; i < names; ++i) {
    const std::string candidate = folder + ".tfx-" + std::to_string(i) + ".tmp";
    for (int j = 0; j < tries; ++j) {
      if (create(candidate, mode)) path_ = candidate;
      if (file_.is_open() || errno != EEXIST) return;
      if (!remove_abandoned(candidate)) break; // another process is writing it
    }
  }
  errno = EEXIST;
}

/// False without a file; errno is EEXIST where another process was quicker.
bool TempFile::create(const std::string& path, mode_t mode) {
  Descriptor file = open_file(path, O_WRONLY | O_CREAT | O_EXCL, mode);
  if (!file.is_open()) return false;
  Descriptor lock(::fcntl(file.number(), F_DUPFD_CLOEXEC, 0));
  // Where a file system knows no locks, its temporary files stay after a kill, under ever new names.
  const bool taken = ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (taken || !file.is_named(path)) { // it was taken for an abandoned one
    errno = EEXIST;
    return false;
  }
  file_ = std::move(file);
  lock_ = std::move(lock);
  return true;
}

TempFile::~TempFile() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

bool TempFile::rename_to(const std::string& target) {
  if (::rename(path_.c_str(), target.c_str()) != 0) return false;
  path_.clear();
  return true;
}

} // namespace tfx
