#include "cli/terminal_lines.hpp"

#include "cli/environment.hpp"
#include "cli/progress_line.hpp"
#include "core/error.hpp"
#include "core/stopwatch.hpp"
#include "core/visible.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include <sys/wait.h>
#include <unistd.h>

namespace tfx {

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
