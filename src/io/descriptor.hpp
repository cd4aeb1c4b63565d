#pragma once
// An open file that closes itself.

#include <string>
#include <string_view>

#include <sys/types.h>

namespace tfx {

class Descriptor {
public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  int number() const { return number_; }
  bool is_open() const { return number_ >= 0; }
  /// Whether `path` still names the open file: another process may have removed or renamed it.
  bool is_named(const std::string& path) const;
  /// Writes all of it, in as many system calls as it takes → 0, or the errno of the call that failed.
  int write(std::string_view bytes);
  /// False where the system reports an error: a network file system does so for writes it could not finish.
  /// The descriptor is gone after EINTR too (Linux).
  bool close();

private:
  int number_;
};

/// open(2) with O_CLOEXEC, again where a signal came between; not open on an error, with errno.
Descriptor open_file(const std::string& path, int flags, mode_t mode = 0);

} // namespace tfx
