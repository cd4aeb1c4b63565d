#include "io/file_lock.hpp"

#include "core/error.hpp"
#include "core/sha256.hpp"
#include "io/file.hpp"
#include "io/message.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace tfx {

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
