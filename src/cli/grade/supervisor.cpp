#include "cli/grade/supervisor.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <optional>

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#include <sys/syscall.h>
#endif

namespace tfx {

namespace {

// Where tfx was started without them, as by cron, a pipe would take their numbers.
void open_standard_channels() {
  int number = 0;
  do {
    number = open("/dev/null", O_RDWR | O_CLOEXEC);
  } while (number >= 0 && number <= STDERR_FILENO);
  if (number >= 0) close(number);
}

} // namespace

Pipe::Pipe() {
  open_standard_channels();
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0)
    throw Error(ErrorKind::io, said("cannot make a pipe: {why}", {{"why", why_not(errno)}}));
  read = Descriptor(ends[0]), write = Descriptor(ends[1]);
}

namespace {

constexpr int killed = SIGKILL; // as the status of waitpid

void sleep_shortly() {
  const timespec millisecond{0, 1'000'000};
  nanosleep(&millisecond, nullptr);
}

// False where there is no child, ended or not.
bool has_children() {
  pid_t ended = 0;
  while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
  }
  return ended == 0;
}

// Ends all below this process but for `spared`. First they are stopped, so that none sees another one end and
// starts it again. What is left after five seconds of the processor it gives up: a process that has become
// another user's. By the clock they may be many, where a thousand others compute.
void end_below(const std::vector<pid_t>& spared) {
  constexpr int rounds_of_stopping = 2;
  const std::clock_t patience = std::clock() + 5 * CLOCKS_PER_SEC;
  for (int round = 0; has_children() && std::clock() < patience; ++round) {
    const bool stops = round < rounds_of_stopping;
    const std::size_t alive = signal_below(getpid(), stops ? SIGSTOP : SIGKILL, spared);
    if (alive == 0 && !spared.empty()) return; // the children are those
    if (!stops) sleep_shortly();
  }
}

// Whatever is open besides the standard channels is closed when the program starts.
void close_others_at_exec() {
  constexpr unsigned first = STDERR_FILENO + 1;
#if defined(__linux__) && defined(SYS_close_range)
  constexpr unsigned at_exec = 4; // CLOSE_RANGE_CLOEXEC
  if (syscall(SYS_close_range, first, ~0U, at_exec) == 0) return;
#endif
  rlimit open{};
  constexpr rlim_t most = 65536;
  getrlimit(RLIMIT_NOFILE, &open);
  for (int number = first; static_cast<rlim_t>(number) < std::min(open.rlim_cur, most); ++number)
    fcntl(number, F_SETFD, FD_CLOEXEC);
}

// What a start is to the processes between: only calls that may stand between fork and exec are made there,
// so all that takes memory is made before.
struct Launch {
  std::vector<char*> command, environment;
  const char* folder;
  const ProgramStart& limits;
  int out, err, report;
  pid_t tfx;
};

[[noreturn]] void become(const Launch& launch, int failed) {
  setpgid(0, 0);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
  const rlimit bytes{launch.limits.written, launch.limits.written},
      memory{launch.limits.memory, launch.limits.memory}, none{0, 0};
  setrlimit(RLIMIT_FSIZE, &bytes);
  setrlimit(RLIMIT_CORE, &none);
  setrlimit(RLIMIT_DATA, &memory); // not the address space, of which PyTorch maps much and uses little
  for (const int number : {SIGXFSZ, SIGPIPE, SIGHUP, SIGINT, SIGTERM, SIGCHLD}) std::signal(number, SIG_DFL);
  sigset_t nothing;
  sigemptyset(&nothing);
  sigprocmask(SIG_SETMASK, &nothing, nullptr);
  const int empty = open("/dev/null", O_RDONLY);
  dup2(empty, STDIN_FILENO), dup2(launch.out, STDOUT_FILENO), dup2(launch.err, STDERR_FILENO);
  close_others_at_exec();
  if (!*launch.folder || chdir(launch.folder) == 0)
    execvpe(launch.command[0], launch.command.data(), launch.environment.data());
  const int why = errno;
  [[maybe_unused]] const ssize_t told = write(failed, &why, sizeof why);
  _exit(127);
}

volatile std::sig_atomic_t told_to_end = 0;

void note_signal(int number) {
  if (number == SIGTERM) told_to_end = 1;
}

// Only SIGCHLD and SIGTERM come through, and only while it sleeps; SIGTERM comes from tfx, or in the place of
// one that is gone.
sigset_t hear_signals() {
  sigset_t all, while_asleep;
  sigfillset(&all), sigfillset(&while_asleep);
  sigprocmask(SIG_SETMASK, &all, nullptr);
  struct sigaction action {};
  action.sa_handler = note_signal;
  for (const int number : {SIGCHLD, SIGTERM}) {
    sigaction(number, &action, nullptr);
    sigdelset(&while_asleep, number);
  }
  return while_asleep;
}

// The status of `program` once it has ended; nothing where the end is asked for first.
std::optional<int> status_of(pid_t program, const sigset_t& while_asleep) {
  while (!told_to_end) {
    int status = 0;
    pid_t ended = 0;
    while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
      if (ended == program) return status;
    if (ended < 0) return std::nullopt;
    ppoll(nullptr, 0, nullptr, &while_asleep);
  }
  return std::nullopt;
}

[[noreturn]] void supervise(const Launch& launch) {
  const sigset_t while_asleep = hear_signals();
  setsid(); // Ctrl-C is tfx's, and no terminal is the program's
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
  if (getppid() != launch.tfx) _exit(1); // gone before that was said
  std::array<int, 2> started{};
  Supervised::End report{0, killed};
  if (pipe2(started.data(), O_CLOEXEC) != 0) report.not_started = errno;
  const pid_t program = report.not_started ? -1 : fork();
  if (program == 0) become(launch, started[1]);
  if (program < 0 && !report.not_started) report.not_started = errno;
  [[maybe_unused]] const int moved = chdir("/"); // where tfx runs is none of the program's business
  close(launch.out), close(launch.err), close(started[1]);
  if (program > 0 && read(started[0], &report.not_started, sizeof report.not_started) <= 0)
    if (const std::optional<int> status = status_of(program, while_asleep)) report.status = *status;
  end_below({});
  [[maybe_unused]] const ssize_t told = write(launch.report, &report, sizeof report);
  _exit(0);
}

std::vector<char*> as_pointers(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

} // namespace

Guarding::Guarding() {
  siginfo_t child{};
  if (waitid(P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT) == 0) spared_ = processes_below(getpid());
#ifdef __linux__
  prctl(PR_GET_CHILD_SUBREAPER, &was_reaper_);
  was_open_ = prctl(PR_GET_DUMPABLE);
  prctl(PR_SET_CHILD_SUBREAPER, 1), prctl(PR_SET_DUMPABLE, 0);
#endif
}

Guarding::~Guarding() {
#ifdef __linux__
  prctl(PR_SET_CHILD_SUBREAPER, was_reaper_), prctl(PR_SET_DUMPABLE, was_open_);
#endif
}

Supervised::Supervised(const ProgramStart& start, const Descriptor& out, const Descriptor& err) {
  std::vector<std::string> command = start.command, environment = start.environment;
  const Launch launch{as_pointers(command),   as_pointers(environment),
                      start.folder.c_str(),   start,
                      out.number(),           err.number(),
                      report_.write.number(), getpid()};
  // No signal comes between the fork and what waits for it there.
  sigset_t all, before;
  sigfillset(&all), pthread_sigmask(SIG_SETMASK, &all, &before);
  supervisor_ = fork();
  const int why = errno;
  if (supervisor_ == 0) supervise(launch);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (supervisor_ < 0)
    throw Error(ErrorKind::io, said("cannot start a program: {why}", {{"why", why_not(why)}}));
  report_.write = Descriptor();
}

Supervised::~Supervised() {
  if (supervisor_ > 0) end();
}

bool Supervised::has_ended() const {
  return is(WEXITED | WSTOPPED); // where the program has stopped it, nobody waits for the program
}

bool Supervised::is(int state) const {
  siginfo_t info{};
  return waitid(P_PID, static_cast<id_t>(supervisor_), &info, state | WNOHANG | WNOWAIT) == 0 &&
         info.si_pid != 0;
}

Supervised::End Supervised::end() {
  Supervised::End report{0, killed};
  pollfd news{report_.read.number(), POLLIN, 0};
  constexpr int between_looks = 100; // milliseconds
  int polled = 0;
  do {
    kill(supervisor_, SIGTERM);
  } while (!is(WSTOPPED) && (polled = poll(&news, 1, between_looks)) <= 0);
  const bool has_told = polled > 0 && read(report_.read.number(), &report, sizeof report) ==
                                          static_cast<ssize_t>(sizeof report);
  if (!has_told) report = {0, killed}, kill(supervisor_, SIGKILL);
  while (waitpid(supervisor_, nullptr, 0) < 0 && errno == EINTR) {
  }
  supervisor_ = -1, report_.read = Descriptor();
  if (!has_told) end_below(guarding_.spared());
  return report;
}

} // namespace tfx
