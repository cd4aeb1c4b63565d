#include "cli/terminal_lines.hpp"

#include "core/error.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

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
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

std::optional<std::string> next_line() {
  constexpr std::size_t max_bytes = 4096;
  std::string line;
  int c = 0;
  errno = 0;
  while ((c = std::getc(stdin)) != EOF && c != '\n')
    if (line.size() < max_bytes) line += static_cast<char>(c);
  if (std::ferror(stdin))
    throw Error(ErrorKind::io, std::string("cannot read standard input: ") + std::strerror(errno));
  if (c == EOF && line.empty()) return std::nullopt;
  if (line.ends_with('\r')) line.pop_back();
  return line;
}

} // namespace tfx
