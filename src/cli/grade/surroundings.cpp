#include "cli/grade/surroundings.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <unistd.h>

namespace tfx {

namespace {

namespace fs = std::filesystem;

// Where the interpreters and compilers are too that a program may start.
bool is_of_the_system(const std::string& folder) {
  constexpr std::array<std::string_view, 6> folders{"/bin",      "/sbin",          "/usr/bin",
                                                    "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"};
  return std::ranges::count(folders, std::string_view(folder)) > 0;
}

bool has_tfx(const std::string& folder) {
  std::error_code error;
  return fs::exists(fs::path(folder) / "tfx", error);
}

std::string path_without_tfx(std::string_view path) {
  std::string left;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find(':'), path.size());
    const std::string folder(path.substr(0, end));
    path.remove_prefix(std::min(end + 1, path.size()));
    if (has_tfx(folder) && !is_of_the_system(folder)) continue;
    left += (left.empty() ? "" : ":") + folder;
  }
  return left;
}

} // namespace

std::vector<std::string> environment_in(const Surroundings& surroundings) {
  std::vector<std::string> variables;
  std::string modules = surroundings.modules;
  for (char** one = environ; *one; ++one) {
    const std::string_view variable = *one;
    const std::string_view name = variable.substr(0, variable.find('='));
    const std::string_view value = variable.substr(std::min(name.size() + 1, variable.size()));
    if (name.starts_with("TFX_") || name == "_" || name == "OLDPWD" || name == "TMPDIR") continue;
    if (name == "PWD" && surroundings.is_in_scratch) continue;
    if (name == "PATH")
      variables.push_back("PATH=" + path_without_tfx(value));
    else if (name == "PYTHONPATH" && !modules.empty())
      modules += ":" + std::string(value);
    else
      variables.emplace_back(variable);
  }
  variables.push_back("TMPDIR=" + surroundings.scratch);
  if (!modules.empty()) variables.push_back("PYTHONPATH=" + modules);
  return variables;
}

std::vector<std::string> command_in(const Surroundings& surroundings, std::vector<std::string> command) {
  std::error_code error;
  if (surroundings.is_in_scratch && command[0].find('/') != std::string::npos)
    if (const fs::path path = fs::absolute(command[0], error); !error) command[0] = path.string();
  return command;
}

namespace {

// A program may have taken away the rights to a folder, without which it cannot be removed.
void open_folders(const fs::path& folder) {
  std::error_code error;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, error);
  error.clear();
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    if (std::error_code none; fs::is_directory(at->symlink_status(none))) open_folders(at->path());
}

} // namespace

PrivateFolder::PrivateFolder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (!error) parent = fs::absolute(parent, error);
  path_ = (parent / "tfx-XXXXXX").string();
  if (error || !mkdtemp(path_.data()))
    throw Error(ErrorKind::cannot_write, said("cannot make a folder in {folder}: {why}",
                                              {{"folder", error ? "$TMPDIR" : parent.string()},
                                               {"why", why_not(error ? error.value() : errno)}}));
}

PrivateFolder::~PrivateFolder() {
  std::error_code error;
  open_folders(path_);
  fs::remove_all(path_, error);
}

} // namespace tfx
