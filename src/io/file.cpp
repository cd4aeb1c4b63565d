#include "io/file.hpp"

#include "core/error.hpp"
#include "core/memory.hpp"
#include "core/progress.hpp"
#include "io/limits.hpp"
#include "io/message.hpp"
#include "io/open_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

namespace tfx {

namespace {

[[noreturn]] void fail_to_open(const FileName& file, int code, Message hint = {}) {
  throw Error(ErrorKind::no_input,
              said("cannot open {file}: {why}", {{"file", file}, {"why", why_not(code)}}), std::move(hint));
}

[[noreturn]] void fail_to_write(ErrorKind kind, const FileName& file, int code, Message hint = {}) {
  throw Error(kind, said("cannot write {file}: {why}", {{"file", file}, {"why", why_not(code)}}),
              std::move(hint));
}

SayWaiting say_waiting = [](const std::string&) {}; // coverage: cli says where from the start

/// A file open for reading. Its path is "-" where it is standard input.
struct Source {
  int descriptor;
  std::string path;
  bool may_wait = false;    ///< a pipe, a socket or a terminal: what comes may take its time
  std::size_t expected = 0; ///< bytes, as far as they are known

  FileName name() const { return path == "-" ? "standard input" : path; }
};

/// Until there is something to read, or the end.
void wait_for(const Source& source, bool& told) {
  constexpr int one_second = 1000, for_ever = -1;
  pollfd input{source.descriptor, POLLIN, 0};
  for (;;) {
    const int ready = ::poll(&input, 1, told ? for_ever : one_second);
    if (ready > 0 || (ready < 0 && errno != EINTR)) return; // what is wrong read() says
    if (ready == 0) say_waiting(source.path), told = true;
  }
}

/// Reads to the end; `expected` bytes are taken at once, more only as they come (pipes, and files in /proc
/// say 0).
std::string read_all(const Source& source) {
  constexpr std::size_t chunk = 1 << 16;
  const FileName name = source.name();
  std::string bytes;
  const auto grow = [&](std::size_t size) {
    if (size >= worth_asking)
      require_memory(static_cast<double>(size), said("reading {file}", {{"file", name}}));
    bytes.resize(size);
  };
  grow(std::max(source.expected + 1, chunk)); // one more: the end is seen without growing
  std::size_t filled = 0;
  bool told = false;
  for (;;) {
    if (filled == bytes.size()) grow(2 * bytes.size());
    if (source.may_wait) wait_for(source, told);
    const ssize_t count = ::read(source.descriptor, bytes.data() + filled, bytes.size() - filled);
    if (count == 0) break;
    if (count < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (count < 0)
      throw Error(ErrorKind::io,
                  said("cannot read {file}: {why}", {{"file", name}, {"why", why_not(errno)}}));
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

/// What is open there; refused where it is nothing that ends.
Source source_of(int descriptor, const std::string& path) {
  Source source{descriptor, path};
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail_to_open(source.name(), errno);
  if (S_ISDIR(status.st_mode)) fail_to_open(source.name(), EISDIR, said("give a file, not a folder"));
  const bool terminal = S_ISCHR(status.st_mode) && ::isatty(descriptor) != 0,
             null_device = S_ISCHR(status.st_mode) && status.st_rdev == makedev(1, 3);
  if (S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && !null_device && !(terminal && path == "-")))
    throw Error(ErrorKind::no_input,
                terminal ? said("{file} is a terminal, not a file", {{"file", source.name()}})
                         : said("{file} is a device, not a file", {{"file", source.name()}}),
                terminal ? said("- reads what you type")
                         : said("give a file, a pipe, or - for standard input"));
  source.may_wait = !S_ISREG(status.st_mode) && !null_device;
  if (S_ISREG(status.st_mode)) source.expected = static_cast<std::size_t>(status.st_size);
  return source;
}

/// 0 or an errno. A file system that cannot sync says EINVAL: nothing more can be done there.
int sync(int descriptor) {
  int error = 0;
  do error = ::fsync(descriptor) == 0 ? 0 : errno;
  while (error == EINTR);
  return error == EINVAL || error == ENOTSUP ? 0 : error;
}

/// N of /dev/fd/N and its other names. Opened by name, a redirected /dev/stdout would start again at byte 0,
/// and renamed over, it would leave the shell's file behind.
std::optional<int> descriptor_named(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [stop, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc{} && stop == end && number >= 0) return number;
  }
  return std::nullopt;
}

void write_directly(Descriptor& target, const std::string& path, std::string_view bytes) {
  if (!target.is_open()) fail_to_write(ErrorKind::cannot_write, path, errno);
  if (const int error = target.write(bytes)) fail_to_write(ErrorKind::io, path, error);
  if (!target.close()) fail_to_write(ErrorKind::io, path, errno);
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "./" : path.substr(0, slash + 1);
}

/// The name in the folder survives a power cut only once the folder is synced. A folder that may not be read
/// cannot be.
int sync_folder(const std::string& folder) {
  const Descriptor descriptor = open_file(folder, O_RDONLY | O_DIRECTORY);
  return descriptor.is_open() ? sync(descriptor.number()) : 0;
}

/// 0 or an errno. A hard link under a passing name, renamed: PATH.prev is at no moment missing or half. Where
/// the file system knows no links, the old file is moved, and for a moment stands there alone.
int keep_previous(const std::string& target) {
  const std::string previous = target + ".prev", passing = target + ".prev.tmp";
  ::unlink(passing.c_str()); // a killed process may have left it
  if (::link(target.c_str(), passing.c_str()) != 0)
    return ::rename(target.c_str(), previous.c_str()) == 0 ? 0 : errno; // coverage: there are links
  const int error = ::rename(passing.c_str(), previous.c_str()) == 0 ? 0 : errno;
  ::unlink(passing.c_str()); // rename leaves it where both were one file already, too
  return error;
}

/// What stands at `path`; nothing where there is no file yet. Throws where none can be.
std::optional<struct stat> standing_at(const std::string& path) {
  if (path.empty())
    throw Error(ErrorKind::cannot_write, said("the path of the file to write is empty"),
                said("give the name of a file"));
  struct stat status {};
  const bool exists = ::stat(path.c_str(), &status) == 0;
  if (!exists && errno != ENOENT) // too long, links in a circle, a file where a folder should be
    fail_to_write(ErrorKind::cannot_write, path, errno, said("give another name"));
  if (exists && S_ISDIR(status.st_mode))
    fail_to_write(ErrorKind::cannot_write, path, EISDIR, said("give the name of a file"));
  return exists ? std::optional(status) : std::nullopt;
}

bool is_plain(const std::optional<struct stat>& status) {
  return !status || S_ISREG(status->st_mode);
}

/// A temporary file is there that may be renamed to `target`.
void require_begun(TempFile& temp_file, const std::string& path, const std::string& target, bool exists) {
  if (!temp_file.descriptor().is_open())
    fail_to_write(ErrorKind::cannot_write, path, errno,
                  said("check that its folder exists and may be written to"));
  if (exists && ::access(target.c_str(), W_OK) != 0) // renaming would not ask
    fail_to_write(ErrorKind::cannot_write, path, errno,
                  said("the file may not be changed; give another name")); // coverage: root may change all
}

void replace_file(const std::string& path, std::string_view bytes, std::optional<mode_t> old_mode,
                  Previous previous) {
  const std::string target = target_of(path), folder = folder_of(target);
  TempFile temp_file(folder, old_mode.value_or(0666));
  require_begun(temp_file, path, target, old_mode.has_value());
  Descriptor& file = temp_file.descriptor();
  if (old_mode && ::fchmod(file.number(), *old_mode) != 0)
    fail_to_write(ErrorKind::cannot_write, path, errno); // coverage: a failing disk
  int error = file.write(bytes);
  if (error == 0) error = sync(file.number());
  if (!file.close() && error == 0) error = errno;
  if (error == 0 && old_mode && previous == Previous::kept) error = keep_previous(target);
  if (error == 0 && !temp_file.rename_to(target)) error = errno;
  if (error == 0) error = sync_folder(folder);
  if (error != 0) fail_to_write(ErrorKind::io, path, error);
}

} // namespace

std::string target_of(const std::string& path) {
  constexpr int max_links = 40; // as Linux follows
  std::filesystem::path target = path;
  std::error_code ignored;
  for (int i = 0; std::filesystem::is_symlink(std::filesystem::symlink_status(target, ignored)); ++i) {
    std::error_code error;
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) fail_to_write(ErrorKind::cannot_write, path, error.value());
    if (i == max_links) fail_to_write(ErrorKind::cannot_write, path, ELOOP);
    target = target.parent_path() / next; // an absolute `next` replaces the whole
  }
  return target.string();
}

std::string predecessor_of(const std::string& path) {
  return target_of(path) + ".prev";
}

bool same_file(const std::string& one, const std::string& other) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (one == other || fs::equivalent(one, other, error)) return true;
  const auto place = [&](const std::string& path) {
    return error ? fs::path() : fs::weakly_canonical(fs::absolute(target_of(path), error), error);
  };
  error.clear();
  const fs::path first = place(one), second = place(other);
  return !error && first == second;
}

std::string read_file(const std::string& path) {
  if (path.empty())
    throw Error(ErrorKind::no_input, said("the path of a file is empty"), said("give the name of a file"));
  tell_progress(printable(path));
  if (path == "-" || path == "/dev/stdin" || descriptor_named(path) == STDIN_FILENO)
    return read_all(source_of(STDIN_FILENO, "-"));
  // Not waiting for a FIFO's writer here, but where it is said.
  const Descriptor file = open_file(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  if (!file.is_open()) fail_to_open(path, errno, said("check the path"));
  return read_all(source_of(file.number(), path));
}

void say_waiting_with(SayWaiting say) {
  say_waiting = say;
}

bool is_written_directly(const std::string& path) {
  return descriptor_named(path) || !is_plain(standing_at(path));
}

void require_writable(const std::string& path) {
  if (is_written_directly(path)) return;
  const std::string target = target_of(path);
  const bool exists = standing_at(path).has_value();
  TempFile temp_file(folder_of(target), 0600);
  require_begun(temp_file, path, target, exists);
}

void write_file_atomically(const std::string& path, std::string_view bytes, Previous previous) {
  if (const auto number = descriptor_named(path)) {
    Descriptor copy(::fcntl(*number, F_DUPFD_CLOEXEC, 0));
    return write_directly(copy, path, bytes);
  }
  const auto status = standing_at(path);
  if (!is_plain(status)) {
    Descriptor device = open_file(path, O_WRONLY);
    return write_directly(device, path, bytes);
  }
  constexpr mode_t permissions = 0777; // not set-uid: the new file may have another owner
  replace_file(path, bytes, status ? std::optional<mode_t>(status->st_mode & permissions) : std::nullopt,
               previous);
}

} // namespace tfx
