#pragma once
// A folder of its own for a test, gone afterwards.

#include "io/file.hpp"

#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tfx {

class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string path = (std::filesystem::temp_directory_path() / "tfx-test-XXXXXX").string();
    if (!::mkdtemp(path.data())) throw std::runtime_error("no temporary folder");
    path_ = path;
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path_); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// The path of a file in the folder, there or not.
  std::string path(const std::string& name) const { return (path_ / name).string(); }

  /// Writes a file into the folder; its path.
  std::string write(const std::string& name, std::string_view bytes) const {
    const std::string path = (path_ / name).string();
    write_file_atomically(path, bytes);
    return path;
  }

private:
  std::filesystem::path path_;
};

} // namespace tfx
