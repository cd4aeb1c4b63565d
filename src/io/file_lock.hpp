#pragma once
// Who writes a file: two processes that replace one file would each throw away what the other has made.

#include "io/descriptor.hpp"

#include <chrono>
#include <string>

namespace tfx {

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
