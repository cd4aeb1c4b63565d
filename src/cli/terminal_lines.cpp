#include "cli/terminal_lines.hpp"

#include "cli/environment.hpp"
#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/stopwatch.hpp"
#include "core/visible.hpp"
#include "text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

namespace tfx {

namespace {

ProgressLine* shown = nullptr; // of the command that runs

/// Ctrl-C and the like are for the thread that works.
class WithoutSignals {
public:
  WithoutSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~WithoutSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  WithoutSignals(const WithoutSignals&) = delete;
  WithoutSignals& operator=(const WithoutSignals&) = delete;

private:
  sigset_t before_;
};

} // namespace

bool has_progress_line() {
  const char* const terminal = std::getenv("TERM");
  const bool dumb = !terminal || std::string_view(terminal) == "dumb";
  return ::isatty(STDERR_FILENO) && !dumb;
}

std::string clock_text(double seconds) {
  const auto whole = static_cast<std::uint64_t>(seconds + 0.5);
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

void write_progress_line(const std::string& text, const Style& style) {
  std::fprintf(stderr, "\r\033[K%s", style.shortened(text, style.width - 1).c_str());
  std::fflush(stderr);
}

ProgressLine::ProgressLine(std::string command, const Style& style)
    : command_(std::move(command)), style_(style) {
  if (!has_progress_line()) return;
  try {
    const WithoutSignals guard;
    thread_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) { // no room for a thread: nothing is shown
    return;
  }
  shown = this;
  tell_progress_to([this](std::string_view what, Part part) {
    const std::lock_guard lock(mutex_);
    std::string name = escape_controls(std::string(what));
    if (part.of > 0) {
      whole_ = fmt::format("{} {}/{}", name, part.number, part.of);
      part_.clear();
    } else {
      part_ = std::move(name);
    }
  });
}

ProgressLine::~ProgressLine() {
  end();
}

void ProgressLine::end() {
  if (!thread_.joinable()) return;
  tell_progress_to({});
  shown = nullptr;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  ended_.notify_all();
  thread_.join();
}

std::string ProgressLine::text(double seconds) const {
  std::string line = "tfx " + command_;
  for (const std::string& what : {whole_, part_})
    if (!what.empty()) line += " · " + what;
  return line + "  " + clock_text(seconds);
}

void ProgressLine::watch() {
  using namespace std::chrono_literals;
  std::unique_lock lock(mutex_);
  const Stopwatch stopwatch;
  const auto ends = [this] { return ends_; };
  if (ended_.wait_for(lock, 2s, ends)) return;
  do write_progress_line(text(stopwatch.seconds()), style_);
  while (!ended_.wait_for(lock, 500ms, ends));
  write_progress_line("", style_);
}

void end_progress() {
  if (shown) shown->end();
}

bool is_dialogue() {
  return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

bool shows_screen() {
  return isatty(STDOUT_FILENO);
}

bool has_script() {
  return !isatty(STDIN_FILENO);
}

void say(const std::string& text) {
  end_progress();
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

namespace {

std::string pager() {
  for (const char* variable : {"TFX_PAGER", "PAGER"})
    if (const char* command = std::getenv(variable)) return command;
  return "less -FRX";
}

} // namespace

bool show_paged(const std::string& text) {
  const std::size_t rows = look_at_terminal().rows;
  if (rows == 0 || static_cast<std::size_t>(std::ranges::count(text, '\n')) < rows) return false;
  const std::string command = pager();
  if (command.empty() || command == "cat") return false;
  end_progress(); // the pager has the terminal now
  // Whoever quits the pager early closes the pipe, and Ctrl-C is meant for the pager.
  const auto broken_pipe = std::signal(SIGPIPE, SIG_IGN), interrupt = std::signal(SIGINT, SIG_IGN);
  bool shown = false;
  setenv("LESSCHARSET", "utf-8", 0); // less asks the locale, which a machine may lack
  const Stopwatch reading;
  if (std::FILE* pipe = popen(command.c_str(), "w")) {
    std::fwrite(text.data(), 1, text.size(), pipe);
    constexpr double at_once = 0.5; // seconds: before anybody has read a line
    const int status = pclose(pipe);
    shown = WIFEXITED(status) && (WEXITSTATUS(status) == 0 || reading.seconds() > at_once);
  }
  std::signal(SIGPIPE, broken_pipe), std::signal(SIGINT, interrupt);
  return shown;
}

void show_now(const std::string& text, bool paged) {
  if (!paged || !show_paged(text)) say(text);
}

std::optional<std::string> next_line() {
  constexpr std::size_t max_bytes = 4096;
  end_progress();
  std::string line;
  int c = 0;
  errno = 0;
  while ((c = std::getc(stdin)) != EOF && c != '\n')
    if (line.size() < max_bytes) line += static_cast<char>(c);
  if (std::ferror(stdin))
    throw Error(ErrorKind::io, said("cannot read standard input: {why}", {{"why", why_not(errno)}}));
  if (c == EOF && line.empty()) return std::nullopt;
  if (line.ends_with('\r')) line.pop_back();
  return std::string(without_byte_order_mark(line)); // a piped file may begin with one
}

} // namespace tfx
