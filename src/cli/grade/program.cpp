#include "cli/grade/program.hpp"

#include "cli/grade/process_tree.hpp"
#include "core/error.hpp"
#include "io/open_file.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

namespace tfx {

namespace {

using Clock = std::chrono::steady_clock;

struct Pipe {
  Descriptor read, write;

  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
      throw Error(ErrorKind::io, said("cannot make a pipe: {why}", {{"why", why_not(errno)}}));
    read = Descriptor(ends[0]), write = Descriptor(ends[1]);
  }
};

// What the child does before it becomes the program; only calls that may stand between fork and exec.
[[noreturn]] void become(char* const* command, const ProgramLimits& limits, int out, int err, int failed) {
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); // tfx itself may be killed
#endif
  const rlimit bytes{limits.written, limits.written}, memory{limits.memory, limits.memory}, none{0, 0};
  setrlimit(RLIMIT_FSIZE, &bytes);
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_DATA, &memory); // not the address space, of which PyTorch maps much and uses little
  std::signal(SIGXFSZ, SIG_DFL), std::signal(SIGPIPE, SIG_DFL), std::signal(SIGHUP, SIG_DFL);
  const int nothing = open("/dev/null", O_RDONLY);
  dup2(nothing, STDIN_FILENO), dup2(out, STDOUT_FILENO), dup2(err, STDERR_FILENO);
  execvp(command[0], command);
  const int why = errno;
  [[maybe_unused]] const ssize_t told = write(failed, &why, sizeof why);
  _exit(127);
}

// One channel of the program; false at its end.
bool read_some(Descriptor& from, std::string& to, std::size_t room) {
  std::array<char, 16384> piece{};
  const ssize_t count = read(from.number(), piece.data(), piece.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return true;
  if (count <= 0) return from = Descriptor(), false;
  to.append(piece.data(), std::min(room, static_cast<std::size_t>(count)));
  return true;
}

class Running {
public:
  Running(pid_t child, Descriptor out, Descriptor err, const ProgramLimits& limits)
      : child_(child), out_(std::move(out)), err_(std::move(err)), limits_(limits) {}

  ProgramEnd wait(const StopSignals& signals) {
    const auto end = Clock::now() + limits_.wait();
    constexpr auto between_looks = std::chrono::milliseconds(100);
    auto next_look = Clock::now() + between_looks;
    bool over = false;
    while (!over) {
      listen();
      over = has_ended();
      if (over) break;
      if (signals.caught())
        over = stop(ProgramEnd::How::interrupted, signals.caught());
      else if (is_flooded())
        over = stop(ProgramEnd::How::flooded, 0);
      else if (Clock::now() >= end)
        over = stop(ProgramEnd::How::waited, 0);
      else if (Clock::now() >= next_look)
        over = uses_too_much(), next_look = Clock::now() + between_looks;
    }
    kill(-child_, SIGKILL); // what it started and left; the group lives while its leader is not waited for
    int status = 0;
    while (waitpid(child_, &status, 0) < 0 && errno == EINTR) {
    }
    const auto patience =
        Clock::now() + std::chrono::milliseconds(200); // one who left the group may hold a pipe
    while ((out_.is_open() || err_.is_open()) && Clock::now() < patience) listen();
    if (ended_.how == ProgramEnd::How::exited) {
      ended_.status = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
      if (WIFSIGNALED(status)) ended_.how = ProgramEnd::How::signalled;
      if (is_flooded()) ended_.how = ProgramEnd::How::flooded;
    }
    return std::move(ended_);
  }

private:
  bool has_ended() const {
    siginfo_t info{};
    return waitid(P_PID, static_cast<id_t>(child_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0;
  }

  bool uses_too_much() {
    const TreeUse use = use_of_tree(child_);
    if (use.seconds * 1000 >= static_cast<double>(limits_.time.count()))
      return stop(ProgramEnd::How::timed_out, 0);
    return use.resident > limits_.memory && stop(ProgramEnd::How::too_large, 0);
  }

  bool is_flooded() const { return ended_.out.size() + ended_.err.size() >= limits_.printed; }

  bool stop(ProgramEnd::How how, int status) {
    ended_.how = how, ended_.status = status;
    return true;
  }

  void listen() {
    std::array<pollfd, 2> channels{{{out_.number(), POLLIN, 0}, {err_.number(), POLLIN, 0}}};
    if (poll(channels.data(), channels.size(), out_.is_open() || err_.is_open() ? 20 : 2) <= 0) return;
    const auto room = [&] {
      return limits_.printed - std::min(limits_.printed, ended_.out.size() + ended_.err.size());
    };
    if (channels[0].revents) read_some(out_, ended_.out, room());
    if (channels[1].revents) read_some(err_, ended_.err, room());
  }

  pid_t child_;
  Descriptor out_, err_;
  const ProgramLimits& limits_;
  ProgramEnd ended_;
};

} // namespace

std::string ProgramEnd::last_line() const {
  const std::size_t end = err.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) return {};
  const std::size_t start = err.find_last_of('\n', end);
  return err.substr(start == std::string::npos ? 0 : start + 1,
                    end - (start == std::string::npos ? 0 : start + 1) + 1);
}

ProgramEnd run_program(const std::vector<std::string>& command, const ProgramLimits& limits,
                       const StopSignals& signals) {
  std::vector<std::string> words = command;
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  Pipe out, err, failed;
  const pid_t child = fork();
  if (child < 0) throw Error(ErrorKind::io, said("cannot start a program: {why}", {{"why", why_not(errno)}}));
  if (child == 0)
    become(arguments.data(), limits, out.write.number(), err.write.number(), failed.write.number());
  setpgid(child, child); // whichever comes first
  out.write = Descriptor(), err.write = Descriptor(), failed.write = Descriptor();
  int why = 0;
  const bool started = read(failed.read.number(), &why, sizeof why) != sizeof why;
  ProgramEnd end = Running(child, std::move(out.read), std::move(err.read), limits).wait(signals);
  if (!started) end.how = ProgramEnd::How::not_started, end.status = why;
  return end;
}

PrivateFolder::PrivateFolder() {
  std::error_code error;
  path_ = (std::filesystem::temp_directory_path(error) / "tfx-XXXXXX").string();
  if (error || !mkdtemp(path_.data()))
    throw Error(ErrorKind::cannot_write, said("cannot make a folder in {folder}: {why}",
                                              {{"folder", path_.substr(0, path_.rfind('/'))},
                                               {"why", why_not(error ? error.value() : errno)}}));
}

PrivateFolder::~PrivateFolder() {
  std::error_code error;
  std::filesystem::remove_all(path_, error);
}

} // namespace tfx
