#pragma once
// An open file that closes itself, and two that are made of one: a temporary file beside the file that it
// will replace, and a lock. Two processes that replace one file would each throw away what the other has
// made; the lock keeps one of them out.

#include <chrono>
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

/// A new, empty file in a folder, removed again unless it is renamed. Its name is short: the target's may
/// already be as long as a name can be. It is locked while it lives, so that what a killed process left is
/// known by its missing lock, and the next save removes it: they do not pile up.
class TempFile {
public:
  /// is_open() of the descriptor says whether it could be created, errno why not.
  TempFile(const std::string& folder, mode_t mode);
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  Descriptor& descriptor() { return file_; }
  bool rename_to(const std::string& target);

private:
  bool create(const std::string& path, mode_t mode);

  std::string path_; ///< empty where there is nothing to remove
  Descriptor file_;
  Descriptor lock_; ///< a second descriptor: it holds the lock from the close until the file is renamed
};

/// A lock on a file that need not exist yet, held while the object lives: a small locked file beside it, with
/// this process's id in it. A killed process holds nothing, and what it leaves is taken over and removed by
/// the next one. Where a file system knows no locks, everybody gets one.
class FileLock {
public:
  /// Waits for another process, if at all, so long. Throws Error(cannot_write) where nothing can be made
  /// beside the file.
  explicit FileLock(const std::string& path, std::chrono::milliseconds patience = {});
  ~FileLock();
  FileLock(FileLock&& other) noexcept = default;
  FileLock& operator=(FileLock&&) = delete;

  /// False where another one holds it.
  bool held() const { return file_.is_open(); }
  /// The process that does, as it wrote it down: "4711"; empty where that cannot be read.
  const std::string& holder() const { return holder_; }

private:
  std::string path_; ///< of the lock
  std::string holder_;
  Descriptor file_;
};

} // namespace tfx
