#pragma once
// A temporary file beside the one that it will replace.

#include "io/descriptor.hpp"

#include <string>

#include <sys/types.h>

namespace tfx {

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

} // namespace tfx
