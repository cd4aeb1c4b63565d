#include "io/open_file.hpp"

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "io/file.hpp"
#include "io/message.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace tfx {

Descriptor::~Descriptor() {
  if (number_ >= 0) ::close(number_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

bool Descriptor::is_named(const std::string& path) const {
  struct stat open {
  }, named{};
  return ::fstat(number_, &open) == 0 && ::lstat(path.c_str(), &named) == 0 && open.st_dev == named.st_dev &&
         open.st_ino == named.st_ino;
}

int Descriptor::write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(number_, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

bool Descriptor::close() {
  return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR;
}

Descriptor open_file(const std::string& path, int flags, mode_t mode) {
  int number = -1;
  do number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  while (number < 0 && errno == EINTR);
  return Descriptor(number);
}

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

namespace {

/// Short, as the file's own name may already be as long as a name can be; the same for all names of one file.
std::string lock_beside(const std::string& path) {
  const std::string target = target_of(path);
  const std::size_t name = target.rfind('/') + 1; // npos + 1 = 0
  const auto digest = sha256(target.substr(name));
  return target.substr(0, name) +
         fmt::format(".tfx-{:02x}{:02x}{:02x}{:02x}.lock", digest[0], digest[1], digest[2], digest[3]);
}

} // namespace

FileLock::FileLock(const std::string& path, std::chrono::milliseconds patience) : path_(lock_beside(path)) {
  const auto until = std::chrono::steady_clock::now() + patience;
  for (;;) {
    Descriptor file = open_file(path_, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0666);
    if (!file.is_open())
      throw Error(ErrorKind::cannot_write,
                  said("cannot write {file}: {why}", {{"file", FileName(path)}, {"why", why_not(errno)}}),
                  said("check that its folder exists and may be written to"));
    const bool taken = ::flock(file.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && file.is_named(path_)) {
      file_ = std::move(file);
      if (::ftruncate(file_.number(), 0) == 0) file_.write(std::to_string(::getpid()));
      return;
    }
    if (taken && std::chrono::steady_clock::now() >= until) {
      char text[24] = {};
      if (::pread(file.number(), text, sizeof text - 1, 0) > 0) holder_ = text;
      return;
    }
    if (taken) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

FileLock::~FileLock() {
  if (held()) ::unlink(path_.c_str()); // while it is held: nobody else's is removed
}

} // namespace tfx
