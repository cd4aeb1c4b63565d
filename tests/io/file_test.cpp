#include "io/file.hpp"
#include "io/open_file.hpp"

#include "error_of.hpp"
#include "support/catch.hpp"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tfx;
using namespace std::string_literals;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test, removed with everything in it.
struct Folder {
  Folder() {
    std::string pattern = (fs::temp_directory_path() / "tfx-file-test-XXXXXX").string();
    path = ::mkdtemp(pattern.data());
  }
  ~Folder() {
    fs::permissions(path, fs::perms::owner_all);
    fs::remove_all(path);
  }
  std::string operator/(const std::string& name) const { return (path / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

mode_t mode_of(const std::string& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

} // namespace

TEST_CASE("a pipe is read however slowly it comes, and after a second it is said for what is waited",
          "[io]") {
  const Folder folder;
  const std::string path = folder / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  static std::vector<std::string> said;
  said.clear();
  say_waiting_with([](const std::string& waits_for) { said.push_back(waits_for); });
  const auto read_while_written = [&](std::chrono::milliseconds before, std::chrono::milliseconds between) {
    std::thread writer([&] {
      std::this_thread::sleep_for(before);
      const Descriptor pipe = open_file(path, O_WRONLY);
      for (const char* part : {"1,2\n", "3,4\n"}) {
        CHECK(::write(pipe.number(), part, 4) == 4);
        std::this_thread::sleep_for(between);
      }
    });
    const std::string bytes = read_file(path);
    writer.join();
    return bytes;
  };
  using std::chrono::milliseconds;
  CHECK(read_while_written(milliseconds(50), milliseconds(50)) == "1,2\n3,4\n");
  CHECK(said.empty());
  CHECK(read_while_written(milliseconds(1300), milliseconds(1100)) == "1,2\n3,4\n");
  CHECK(said == std::vector<std::string>{path});
  say_waiting_with([](const std::string&) {});
}

TEST_CASE("a device is refused, and an empty one is empty", "[io]") {
  for (const char* device : {"/dev/zero", "/dev/urandom"}) {
    const Error error = error_of([&] { read_file(device); });
    CHECK(error.kind() == ErrorKind::no_input);
    CHECK(error.what() == std::string(device) + " is a device, not a file");
  }
  CHECK(read_file("/dev/null").empty());
  const int terminal = ::posix_openpt(O_RDWR | O_NOCTTY);
  if (terminal < 0) return; // a bare chroot has none
  REQUIRE(::grantpt(terminal) == 0);
  REQUIRE(::unlockpt(terminal) == 0);
  const std::string name = ::ptsname(terminal);
  CHECK(error_of([&] { read_file(name); }).what() == name + " is a terminal, not a file");
  ::close(terminal);
}

TEST_CASE("bytes come back as they were written", "[io]") {
  const Folder folder;
  for (const std::string& bytes : {""s, "a"s, "\0\r\n\xff"s, std::string(65535, 'x'), std::string(65536, 'y'),
                                   std::string(300'000, 'z')}) {
    write_file_atomically(folder / "x.bin", bytes);
    CHECK(read_file(folder / "x.bin") == bytes);
    CHECK(folder.files() == 1);
  }
}

TEST_CASE("a file that can be opened and not read is refused", "[io]") {
  check_error(ErrorKind::io, "cannot read /proc/self/mem", [] { read_file("/proc/self/mem"); });
}

TEST_CASE("a file without a length is read to its end", "[io]") {
  CHECK(read_file("/proc/self/status").find("Name:") == 0);
  CHECK(read_file("/dev/null").empty());
  const Folder folder;
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  const std::string sent(200'000, 'p');
  std::thread writer([&] { write_file_atomically(folder / "pipe", sent); });
  const std::string received = read_file(folder / "pipe");
  writer.join();
  CHECK(received == sent);
  CHECK(fs::is_fifo(folder / "pipe"));
}

TEST_CASE("- is standard input", "[io]") {
  const Folder folder;
  write_file_atomically(folder / "in", "from a pipe");
  const int kept = ::dup(STDIN_FILENO), file = ::open((folder / "in").c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  const std::string bytes = read_file("-");
  ::dup2(kept, STDIN_FILENO);
  ::close(kept);
  ::close(file);
  CHECK(bytes == "from a pipe");
}

TEST_CASE("what cannot be opened is no input", "[io]") {
  const Folder folder;
  check_error(ErrorKind::no_input, "cannot open " + (folder / "no.npy") + ": No such file or directory",
              [&] { read_file(folder / "no.npy"); });
  check_error(ErrorKind::no_input, "the path of a file is empty", [] { read_file(""); });
  check_error(ErrorKind::no_input, ": Is a directory", [&] { read_file(folder.path.string()); });
  check_error(ErrorKind::no_input, "a\\x1b[2J\\n\\xff.npy",
              [&] { read_file(folder / "a\x1b[2J\n\xff.npy"); });
  write_file_atomically(folder / "file", "x");
  check_error(ErrorKind::no_input, "Not a directory", [&] { read_file(folder / "file/inside"); });
}

TEST_CASE("a file is replaced whole, with its mode, through its links", "[io]") {
  const Folder folder;
  const mode_t umask_before = ::umask(027);
  write_file_atomically(folder / "new", "1");
  ::umask(umask_before);
  CHECK(mode_of(folder / "new") == 0640);
  REQUIRE(::chmod((folder / "new").c_str(), 0666) == 0);
  write_file_atomically(folder / "new", "2");
  CHECK(mode_of(folder / "new") == 0666);

  fs::create_symlink("new", folder / "link");
  fs::create_symlink(folder / "link", folder / "link to link");
  write_file_atomically(folder / "link to link", "3");
  CHECK(fs::is_symlink(folder / "link to link"));
  CHECK(fs::is_symlink(folder / "link"));
  CHECK(read_file(folder / "new") == "3");

  fs::create_symlink("made", folder / "dangling");
  write_file_atomically(folder / "dangling", "4");
  CHECK(fs::is_symlink(folder / "dangling"));
  CHECK(read_file(folder / "made") == "4");

  fs::create_symlink("loop", folder / "loop");
  check_error(ErrorKind::cannot_write, "Too many levels of symbolic links",
              [&] { write_file_atomically(folder / "loop", "5"); });
}

TEST_CASE("a reader that holds the old file keeps all of it", "[io]") {
  const Folder folder;
  write_file_atomically(folder / "x", "old");
  std::ifstream reader(folder / "x");
  write_file_atomically(folder / "x", "new and longer");
  std::string seen;
  std::getline(reader, seen);
  CHECK(seen == "old");
}

TEST_CASE("what cannot be created leaves nothing behind", "[io]") {
  const Folder folder;
  check_error(ErrorKind::cannot_write, "the path of the file to write is empty",
              [] { write_file_atomically("", "1"); });
  check_error(ErrorKind::cannot_write, "No such file or directory",
              [&] { write_file_atomically(folder / "none/x", "1"); });
  check_error(ErrorKind::cannot_write, "Is a directory",
              [&] { write_file_atomically(folder.path.string(), "1"); });
  write_file_atomically(folder / "file", "old");
  check_error(ErrorKind::cannot_write, "Not a directory",
              [&] { write_file_atomically(folder / "file/x", "1"); });
  CHECK(read_file(folder / "file") == "old");
  CHECK(folder.files() == 1);
  const std::string long_name(255, 'n');
  write_file_atomically(folder / long_name, "fits");
  CHECK(read_file(folder / long_name) == "fits");
  check_error(ErrorKind::cannot_write, "File name too long",
              [&] { write_file_atomically(folder / (long_name + "n"), "1"); });
  CHECK(folder.files() == 2);

  if (::geteuid() == 0) return; // root may write everywhere
  REQUIRE(::chmod((folder / "file").c_str(), 0444) == 0);
  check_error(ErrorKind::cannot_write, "Permission denied",
              [&] { write_file_atomically(folder / "file", "new"); });
  REQUIRE(::chmod((folder / "file").c_str(), 0644) == 0);
  REQUIRE(::chmod(folder.path.c_str(), 0555) == 0);
  check_error(ErrorKind::cannot_write, "Permission denied",
              [&] { write_file_atomically(folder / "file", "new"); });
  CHECK(read_file(folder / "file") == "old");
}

TEST_CASE("devices and descriptors are written directly", "[io]") {
  check_error(ErrorKind::io, "cannot write /dev/full: No space left on device",
              [] { write_file_atomically("/dev/full", "x"); });
  write_file_atomically("/dev/null", "x");
  CHECK(fs::is_character_file("/dev/null"));

  const Folder folder;
  const int file = ::open((folder / "log").c_str(), O_RDWR | O_CREAT, 0600);
  write_file_atomically("/dev/fd/" + std::to_string(file), "first ");
  write_file_atomically("/proc/self/fd/" + std::to_string(file), "second");
  ::close(file);
  CHECK(read_file(folder / "log") == "first second"); // the shell's file, continued, not renamed over
  check_error(ErrorKind::cannot_write, "Bad file descriptor",
              [&] { write_file_atomically("/dev/fd/" + std::to_string(file), "closed"); });
}

TEST_CASE("a full disk leaves the old file and no temporary", "[io]") {
  const Folder folder;
  write_file_atomically(folder / "x", "old");
  const auto before = ::signal(SIGXFSZ, SIG_IGN);
  rlimit old_limit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &old_limit) == 0);
  const rlimit small{1000, old_limit.rlim_max};
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  ErrorKind kind = ErrorKind::internal;
  try {
    write_file_atomically(folder / "x", std::string(5000, 'n')); // a short write of 1,000 bytes, then EFBIG
  } catch (const Error& error) {
    kind = error.kind();
  }
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &old_limit) == 0);
  ::signal(SIGXFSZ, before);
  CHECK(kind == ErrorKind::io);
  CHECK(read_file(folder / "x") == "old");
  CHECK(folder.files() == 1);
}

TEST_CASE("what a killed process left of a save is removed by the next one", "[io]") {
  const Folder folder;
  std::ofstream(folder / ".tfx-0.tmp") << "half";
  std::ofstream(folder / ".tfx-1.tmp") << "half";
  write_file_atomically(folder / "x", "1");
  CHECK_FALSE(fs::exists(folder / ".tfx-0.tmp"));
  CHECK(read_file(folder / "x") == "1");
}

TEST_CASE("what another process is saving is left alone", "[io]") {
  const Folder folder;
  std::ofstream(folder / ".tfx-0.tmp") << "half";
  const int other = ::open((folder / ".tfx-0.tmp").c_str(), O_RDONLY);
  REQUIRE(::flock(other, LOCK_EX | LOCK_NB) == 0);
  write_file_atomically(folder / "x", "1");
  CHECK(read_file(folder / ".tfx-0.tmp") == "half");
  CHECK(read_file(folder / "x") == "1");
  ::close(other);
}

TEST_CASE("where every name for a passing file is taken, nothing is written", "[io]") {
  const Folder folder;
  for (int i = 0; i < 1000; ++i) fs::create_directory(folder / ".tfx-" + std::to_string(i) + ".tmp");
  check_error(ErrorKind::cannot_write, "File exists", [&] { write_file_atomically(folder / "x", "1"); });
  CHECK(folder.files() == 1000);
}

TEST_CASE("a file is locked by one, whatever it is called, and nothing stays of the lock", "[io]") {
  const Folder folder;
  fs::create_symlink("x", folder / "link");
  {
    FileLock mine(folder / "x");
    REQUIRE(mine.held());
    const FileLock other(folder / "x"), through_a_link(folder / "link"), of_another_file(folder / "y");
    CHECK_FALSE(other.held());
    CHECK(other.holder() == std::to_string(::getpid()));
    CHECK_FALSE(through_a_link.held());
    CHECK(of_another_file.held());
    const FileLock moved(std::move(mine));
    CHECK(moved.held());
    CHECK_FALSE(FileLock(folder / "x").held());
  }
  CHECK(folder.files() == 1);
  CHECK(FileLock(folder / "x").held());
}

TEST_CASE("a lock that is waited for is had when the other one goes", "[io]") {
  const Folder folder;
  auto mine = std::make_unique<FileLock>(folder / "x");
  std::thread leaving([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    mine.reset();
  });
  CHECK(FileLock(folder / "x", std::chrono::minutes(1)).held());
  leaving.join();
  CHECK(folder.files() == 0);
}

TEST_CASE("the lock of a killed process is in nobody's way", "[io]") {
  const Folder folder;
  std::string left;
  {
    const FileLock mine(folder / "x");
    left = fs::directory_iterator(folder / "")->path();
  }
  std::ofstream(left) << "4711";
  CHECK(FileLock(folder / "x").held());
  CHECK(folder.files() == 0);
}

TEST_CASE("whether a file can be written is known before it is", "[io]") {
  const Folder folder;
  fs::create_directory(folder / "folder");
  require_writable(folder / "x");
  require_writable("/dev/null");
  CHECK(folder.files() == 1);
  check_error(ErrorKind::cannot_write, "No such file", [&] { require_writable(folder / "missing/x"); });
  check_error(ErrorKind::cannot_write, "Is a directory", [&] { require_writable(folder / "folder"); });
  check_error(ErrorKind::cannot_write, "No such file", [&] { FileLock(folder / "missing/x"); });
  CHECK(is_written_directly("/dev/null"));
  CHECK_FALSE(is_written_directly(folder / "x"));
}

TEST_CASE("a file that is moved is closed once, by its last owner", "[io]") {
  const Folder folder;
  int number = -1;
  {
    Descriptor first = open_file(folder / "x", O_WRONLY | O_CREAT, 0600);
    number = first.number();
    const Descriptor last = std::move(first);
    CHECK_FALSE(first.is_open());
    CHECK(last.number() == number);
    CHECK(::fcntl(number, F_GETFD) >= 0);
  }
  CHECK(::fcntl(number, F_GETFD) < 0);
}

TEST_CASE("many save at once, and every file is whole", "[io]") {
  const Folder folder;
  std::vector<std::thread> writers;
  for (int i = 0; i < 8; ++i)
    writers.emplace_back([&, name = folder / std::to_string(i % 4), bytes = std::string(10'000, 'x')] {
      for (int round = 0; round < 50; ++round) write_file_atomically(name, bytes);
    });
  for (std::thread& writer : writers) writer.join();
  for (int i = 0; i < 4; ++i) CHECK(read_file(folder / std::to_string(i)) == std::string(10'000, 'x'));
  CHECK(folder.files() == 4);
}
